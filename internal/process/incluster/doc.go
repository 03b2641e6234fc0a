// Package incluster runs a replica of a controller as its author ships it: as the Pod of a
// Deployment, on a cluster with nodes.
//
// Each replica has a copy of the author's Deployment, scaled to one Pod or to none. The
// copy differs only in what the bench needs: beside the author's containers there is
// another one, the relay. In the relay the replica finds its API server, and the relay
// passes its connections on to the bench's proxy. The token is still the Pod's own, but the
// certificate beside it is the proxy's.
package incluster
