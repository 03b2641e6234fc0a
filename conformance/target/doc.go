// Package target tells whom an object of the bench's is about: the Subject that
// runs in a scenario's namespace, and which of its replicas All, Leader, Standby
// or a name means at the moment.
package target
