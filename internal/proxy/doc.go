// Package proxy stands between one replica of a controller under test and the API server: it confines the replica to
// its scenario's namespaces and records every request.
//
// # What the replica sees
//
// A [Proxy] serves TLS on a loopback port, HTTP/1.1 and HTTP/2, with a certificate of its run's [Authority]. It passes
// the replica's credentials and bodies through untouched. It changes four things on the way:
//
//   - Accept: protobuf and CBOR are dropped, so that answers can be read; compression is not asked for.
//   - Upgraded connections (exec, attach, port-forward) are answered with 501.
//   - Where the API server does not answer, the connection is dropped.
//   - The cluster is as small as the [Scope].
//
// # Confinement
//
// A list or watch of a namespaced resource across all namespaces goes to the path of the one namespace in scope, on
// every page, so that resource versions, continue tokens and bookmarks belong together. With several namespaces in
// scope it stays as it is and its answer is filtered; only the bookmarks and errors of a watch pass unfiltered.
//
// A namespace out of scope looks as it does to a client where it does not exist: a list of its objects is empty, a
// watch stays silent, a get answers 404, a create answers that the namespace was not found, another write that the
// object was not. The namespaces themselves are filtered by name. Other cluster-scoped objects can be read; writing
// them, or a namespace, is answered with 403 and a Note in the record.
//
// Whatever the proxy answers itself, or asks under another path, it has authorised first, by a
// SubjectAccessReview about the request as it was sent: a controller that lacks a right is told so, in the API
// server's own words. Answers are kept for a moment only, as rights may be withdrawn.
//
// # Effective writes
//
// Of an accepted write the record says whether it changed anything. A create did. Before a put, patch or delete of an
// object by name the proxy reads it; the same resource version in the answer means that nothing changed (unless the
// object was terminating, and lost its last finalizer). Another one does not yet mean that this request changed
// something: a built-in controller may have written in between. So the content that the request can change is compared:
//
//   - the object: all but the resource version, the annotation in which the Deployment controller counts revisions,
//     and, where status is a subresource, the status with its entries in managedFields;
//   - its status: the status and its entries in managedFields;
//   - another subresource, such as scale: as the object.
//
// A deletion was effective if the object is gone, or is now terminating, or was given other finalizers. A dry run
// never is. What remains uncertain: a no-op is called effective where somebody else changed that same part of the
// object in the millisecond between reading and writing; a write that the proxy could not compare, because the object
// could not be read, is called effective and says so in its Note.
package proxy
