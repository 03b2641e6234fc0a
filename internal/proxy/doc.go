// Package proxy stands between one replica of a controller under test and the API
// server: it confines the replica to its scenario's namespaces and records every
// request.
//
// # What the replica sees
//
// A [Proxy] serves TLS on a loopback address of its own, on port 443 where it may,
// HTTP/1.1 and HTTP/2, with a certificate of its run's [Authority]. It passes the
// replica's credentials and bodies through unchanged. It changes four things:
//
//   - Accept: protobuf and CBOR are dropped, so that answers can be read; compression
//     is not asked for.
//   - A request for an upgrade of the connection (exec, attach, port-forward) is
//     answered with 501.
//   - Where the API server does not answer, the request is aborted: HTTP/1.1 closes its
//     connection, HTTP/2 resets its stream.
//   - The cluster is as small as the [Scope].
//
// # Stages
//
// A request goes through stages: it is received, confined, authorised, sent by way of
// an [Interceptor], and answered. What came in is a value that no stage changes. Each
// stage returns what it found, as a value, and the stages after it are handed that.
// Only the record of the request grows on the way.
//
// # Confinement
//
// A list or watch of a namespaced resource across all namespaces is sent to the path of
// the one namespace in scope. That holds for every page, so that resource versions,
// continue tokens and bookmarks belong together. With several namespaces in scope the
// request is not changed, and its answer is filtered. Only the bookmarks and errors of
// a watch are not filtered. The namespace that the replica lives in is in scope too,
// but for the resources that it serves in others: most requests are for these, and are
// cheap where they need no filter.
//
// A namespace out of scope looks as if it did not exist. A list of its objects is
// empty, a watch sends no events, a get is answered with 404. The answer to a create
// says that the namespace was not found, the answer to any other write says that the
// object was not found. The namespaces themselves are filtered by name. Other
// cluster-scoped objects can be read. Writing them, or a namespace, is answered with
// 403, and the record has a Note, unless the scope names their resource.
//
// Before the proxy answers itself, or asks under another path, it has the request
// authorised as it was sent, by a SubjectAccessReview. So a controller that lacks a
// permission is told so, in the API server's own words. The reviews are kept for a
// second or two only, as permissions may be withdrawn.
//
// # Effective writes
//
// The record says of every accepted write whether it changed anything. A create always
// does. Before a put, patch or delete of an object by name the proxy reads the object.
// The same resource version in the answer means that nothing changed (unless the object
// was terminating, and lost its last finalizer). Another version does not yet mean that
// this request changed something: a built-in controller may have written in between. So
// the proxy compares the content that the request can change:
//
//   - for the object: everything but the resource version, the annotation in which the
//     Deployment controller counts revisions, and, where status is a subresource, the
//     status with its entries in managedFields;
//   - for its status: the status and its entries in managedFields;
//   - for another subresource, such as scale: the same as for the object.
//
// A deletion was effective if the object is gone, or is now terminating, or has other
// finalizers. A dry run never is. Two things remain uncertain. A no-op is called
// effective where somebody else changed the same part of the object in the millisecond
// between reading and writing. A write that the proxy could not compare, because the
// object could not be read, is called effective too, and its Note says so.
package proxy
