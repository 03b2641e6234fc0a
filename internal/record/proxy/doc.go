// Package proxy stands between one replica of a controller under test and the API
// server: it confines the replica to its scenario's namespaces and records every
// request.
//
// # What the replica sees
//
// A [Proxy] serves TLS on a loopback address of its own, on port 443 if it may, over
// HTTP/1.1 and HTTP/2. Its certificate comes from the [Authority] of its run. It passes
// the replica's bodies through unchanged, and its credentials too, except that a token
// that it issued itself is replaced by the real one. It changes four things:
//
//   - Accept: protobuf and CBOR are dropped, so that the proxy can read the answers. It
//     does not ask for compression.
//   - A request to upgrade the connection (exec, attach, port-forward) is answered with
//     501. A watch on a web socket is answered with 200 and nothing: its client then sends
//     the watch without one.
//   - If the API server does not answer, the request is aborted: HTTP/1.1 closes its
//     connection, HTTP/2 resets its stream.
//   - The cluster is as small as the [Scope].
//
// # Stages
//
// A request goes through stages: it is received, confined, authorised, sent through an
// [Interceptor], and answered. The incoming request is a value that no stage changes. Each
// stage returns what it found, and the later stages get that. Only the record of the
// request grows.
//
// # Confinement
//
// A list or watch of a namespaced resource across all namespaces is sent to the path of
// the one namespace in scope. This is done for every page, so that resource versions,
// continue tokens and bookmarks belong together. If several namespaces are in scope, the
// request is not changed and its answer is filtered. Only the bookmarks and errors of a
// watch are not filtered. The namespace that the replica lives in is in scope too, except
// for the resources that the replica serves in other namespaces. Most requests are for
// these resources, and without a filter they are cheap.
//
// A namespace out of scope looks as if it did not exist. A list of its objects is empty, a
// watch sends no events, and a get is answered with 404. The answer to a create says that
// the namespace was not found; the answer to any other write says that the object was not
// found. The namespaces themselves are filtered by name. Other cluster-scoped objects can
// be read. A write of such an object, or of a namespace, is answered with 403 and the
// record gets a Note, unless the scope allows writing the resource.
//
// Before the proxy answers itself, or sends a request to another path, it authorises the
// request as it was sent, with a SubjectAccessReview. So a controller that lacks a
// permission learns that, in the API server's own words. If it impersonates somebody, it is
// the rights of that user that count. The answers to reviews are kept for only a second or
// two, because permissions may be withdrawn.
//
// # Effective writes
//
// For every accepted write the record says whether it changed anything. A create always
// does. Before a put, patch or delete of an object by name, the proxy reads the object. It
// need not if the write names the version that it is based on, and the replica was shown that
// version: the API server refuses such a write if the object has another version. If the
// answer has the same resource version, nothing changed (unless the object was
// terminating and lost its last finalizer). If the version is different, a built-in
// controller may have written in between. So the proxy compares the content that the
// request can change:
//
//   - for the object: everything except the resource version, the annotation in which the
//     Deployment controller counts revisions, and, if status is a subresource, the status
//     with its entries in managedFields;
//   - for its status: the status and its entries in managedFields;
//   - for another subresource, such as scale: the same as for the object.
//
// A deletion was effective if the object is gone, is now terminating, or has other
// finalizers. A dry run does not count as a write: it asks what would be, and its verb is
// other.
//
// Two cases remain uncertain. A no-op is called effective if something else changed the
// same part of the object in the millisecond between reading and writing. A write that the
// proxy could not compare, because it could not read the object, is also called effective,
// and its Note says so.
package proxy
