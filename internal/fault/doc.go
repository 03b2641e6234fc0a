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
// # Watches
//
// A stream counts as one hit of a Fault, when the Fault first does something to
// it. Several Faults act on one stream, in their order. What was swallowed stays
// swallowed: when a freeze or a stale read ends, the streams that lack anything
// are closed in good order, and a client that watches again from the version that
// it knows is sent what it missed by the API server. A client-go reflector whose
// watch lived less than a second lists again instead.
//
// The objects that a streaming list begins with, and the bookmark that ends them,
// are lost by a freeze only: it keeps a new list from ever syncing.
//
// # Reads from the past
//
// A stale read is one that an API server may give whose cache is behind. A client
// that never reads from caches is not hit, but for its watches, which stand still
// from their beginning on: reflectors of client-go 0.35 and later begin with a
// consistent streaming list, older ones with a list of resourceVersion 0.
//
// # Objects
//
// The [Controller] serves the objects: it arms them, tells what they hit, and
// disarms them when they go, in whichever way they do.
package fault
