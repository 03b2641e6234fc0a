//go:build unix

// Package pid1 is the small process between the bench and a subject: the init
// that is process 1 of the subject's own PID namespace, or, where there are no
// namespaces, a supervisor. It lays out what the subject sees, starts it, passes
// signals on, reaps orphans, reports how the subject ended, and ends the whole tree
// when the bench is gone.
//
// The init is the bench's own executable, started again with [Marker] in its
// environment. Linking this package in is enough: it takes over while the
// program's packages are still being initialised. The language initialises the
// first package, in the order of import paths, whose imports are ready; so, as this one
// imports only syscall and runtime, it comes before time, os, fmt and all that builds
// on them, most of all Kubernetes. An init therefore costs as much as a tiny program,
// however large the bench is. That is why the code here does not use the rest of the
// standard library: with one more import, each start of a subject would wait for the
// initialisation of the whole bench.
package pid1
