// Package predict has a student predict what an experiment will show, does the experiment,
// and puts the two side by side.
//
// An experiment is data: a Chainsaw test with the bench's objects, as every scenario is
// one; the controller of the last build lab, with a patch where the question needs a
// mistake; and for each question a CEL expression that measures. It speaks of what was
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
