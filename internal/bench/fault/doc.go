// Package fault carries out the Faults of the scenarios. Faults change what happens
// between a controller's requests and the API server's answers.
//
// An [Engine] is the interceptor of every proxy of a bench. It knows the armed Faults of
// each namespace. Several Faults may match a request. The first of them acts on it, in the
// order of creation, then of name; a Fault that skips the request, or has no hits left
// (times), does not. All counting is done under one lock, so that a scenario runs in the
// same way each time.
//
// Each action is one file. It answers in place of the API server, or changes the answer; or
// it waits, cuts the connection or kills the replica, before or after the API server
// answers. The events of a watch are changed one by one, so a Fault also acts on streams
// that were open before it was created.
//
// # Watches
//
// A stream counts as one hit of a Fault, when the Fault first changes something in it.
// Several Faults can act on one stream, in their order. Swallowed events are not sent
// later. When a freeze or a stale read ends, the streams that lack events are closed
// cleanly. The client then watches again from the last version that it knows, and the API
// server sends it what it missed. A client-go reflector whose watch lasted less than a
// second lists again instead. A freeze may also end with 410: then the client must list
// again to learn what it missed.
//
// Only a freeze swallows the first objects of a streaming list, and the bookmark that ends
// them. So it keeps a new list from ever syncing.
//
// # Reads from the past
//
// A stale read is an answer of an API server whose cache is behind. If a client never
// reads from caches, only its watches are affected: they stand still from their start.
// Reflectors of client-go 0.35 and later start with a consistent streaming list, older
// ones with a list of resourceVersion 0.
//
// # Objects
//
// The [Controller] serves the objects: it arms Faults, writes into their status what they
// hit, and disarms them when they are gone, however they were deleted.
package fault
