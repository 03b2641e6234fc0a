//go:build unix

// Package pid1 is the small process between the bench and a subject. It is the init:
// process 1 of the subject's own PID namespace, or, without namespaces, a supervisor. It
// prepares what the subject sees, starts it, passes signals on, reaps orphans, reports how
// the subject ended, and ends the whole tree when the bench is gone.
//
// The init is the bench's own executable, started again with [Marker] in its environment.
// It is enough to link this package: it takes over while the program's packages are still
// being initialised. Go initialises packages in the order of their import paths, each as
// soon as its imports are ready. This package imports only syscall and runtime, so it comes
// before time, os, fmt and everything that builds on them, above all Kubernetes. So an init
// costs as much as a tiny program, however large the bench is. That is why the code here
// does not use the rest of the standard library: with one more import, each start of a
// subject would wait for the initialisation of the whole bench.
package pid1
