//go:build unix

// Package pid1 is the small process between the bench and a subject: the init
// that is process 1 of the subject's own PID namespace, or, where there are no
// namespaces, a supervisor. It lays out what the subject sees, starts it, hands
// on signals, reaps orphans, tells how the subject ended, and takes the whole
// tree with it when the bench is gone.
//
// The init is the bench's own executable, started again with [Marker] in its
// environment. Linking this package in is enough: it takes over while the
// program's packages are still being initialised. The language initialises the
// first package, in the order of import paths, whose imports are ready; so by
// importing nothing but syscall and runtime this one comes before time, os, fmt
// and all that builds on them, Kubernetes above all. An init therefore costs
// what a tiny program costs, however large the bench is. That is why the code
// here does without the rest of the standard library: an import more, and each
// start of a subject pays for the initialisation of the whole bench.
package pid1
