// Package fault carries out the Faults of the scenarios: what changes between a
// controller's requests and the API server's answers.
//
// An [Engine] stands in every proxy of a bench, as its interceptor, and knows the
// Faults that are armed in each namespace. Of those that match a request the
// first in order of creation, then of name, takes it, unless it lets it pass
// (skip) or has hit as often as it was to (times). What is counted is counted
// under one lock, so that a scenario has the same course each time.
//
// An action is one file: it answers, waits, cuts or kills in place of the API
// server, or before or after it. What a watch delivers is changed event by
// event, so that streams that were open before a Fault are hit too.
//
// The [Controller] serves the objects: it arms them, tells what they hit, and
// disarms them when they go, in whichever way they do.
package fault
