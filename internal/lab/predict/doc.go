// Package predict lets a student predict the result of an experiment, carries the
// experiment out, and compares the two.
//
// An experiment is data: a Chainsaw test with the bench's objects, like every scenario; the
// controller of the last build lab, with a patch if the question needs a mistake; and for
// each question a CEL expression that measures the answer. The expression can use what was
// recorded:
//
//	requests  of the controller, in order: at, lasted, replica, verb, streaming, resource,
//	          subresource, name, code, effect, fault, holder
//	events    of the bench and of the experiment's steps: at, reason, replica, object, message
//	log       the lines that the replicas wrote: replica, text
//	objects   as they were at the end, by KIND/NAME: objects['Deployment/demo']
//	began     when each step began, by its name: began['When the leader dies']
//
// All times are seconds since the first of these.
package predict
