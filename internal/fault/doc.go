// Package fault carries out the Faults of the scenarios: what changes between a
// controller's requests and the API server's answers.
//
// An [Engine] is the interceptor of every proxy of a bench. It knows the Faults that
// are armed in each namespace. Of the Faults that match a request, the first in the
// order of creation, then of name, takes it, unless it skips the request or has no hits
// left (times). All counting is done under one lock, so that a scenario runs in the
// same way each time.
//
// Each action is one file. It answers in place of the API server, or it waits, cuts the
// connection or kills the replica before or after the API server answers. The events of
// a watch are changed one by one, so that a Fault also hits streams that were open
// before it.
//
// # Watches
//
// A stream counts as one hit of a Fault, when the Fault first does something to it.
// Several Faults can act on one stream, in their order. Events that were swallowed are
// not sent later. When a freeze or a stale read ends, the streams that lack any are
// closed cleanly. A client then watches again from the version that it knows, and the
// API server sends it what it missed. A client-go reflector whose watch lived less than
// a second lists again instead. A freeze may also end with 410: what the client missed
// is then told by a new list alone.
//
// Only a freeze swallows the objects that a streaming list begins with, and the
// bookmark that ends them. So it keeps a new list from ever syncing.
//
// # Reads from the past
//
// A stale read is what an API server may answer whose cache is behind. Of a client that
// never reads from caches only the watches are hit: they stand still from their
// beginning. Reflectors of client-go 0.35 and later begin with a consistent streaming
// list, older ones with a list of resourceVersion 0.
//
// # Objects
//
// The [Controller] serves the objects: it arms Faults, writes into their status what
// they hit, and disarms them when they are gone, whatever deleted them.
package fault
