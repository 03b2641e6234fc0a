// Package incluster runs a replica of a controller as its author ships it: as the Pod of a
// Deployment, on a cluster with nodes.
//
// Each replica has a copy of the author's Deployment, scaled to one Pod or to none. The
// copy differs in what the bench needs, and in nothing else: a container beside the
// author's, the relay, in which the replica finds its API server, and which hands its
// connections to the bench's proxy. The token stays the Pod's own; the certificate
// beside it is the proxy's.
package incluster
