//go:build unix

// Package sandbox starts the controller under test: one process tree for each replica, in
// an environment like that of a Pod.
//
// On Linux a replica gets its own mount, UTS, PID, IPC and, if possible, network namespaces
// (below a user namespace if the bench does not run as root). It finds a hostname, a
// service-account folder, and KUBERNETES_SERVICE_HOST and _PORT that lead to its proxy. For
// programs that look elsewhere it finds KUBECONFIG and a HOME. The tokens in them are the
// proxy's: the API server refuses them. If the replica has its own network, it has only the
// loopback interface, on which the bench serves the proxy and the addresses that the Spec
// names.
//
// The HOME of the bench's user, /run, /tmp and the like are hidden, and the rest is
// read-only. The program and its directory keep their paths, even below a folder that only
// their owner may enter. The program runs without privileges, and gets nothing of the
// bench's environment. A small init is process 1. It ends the whole tree when the bench is
// gone, even if SIGKILL ended the bench.
//
// Without namespaces, a replica gets KUBECONFIG, HOME and TMPDIR in a temporary directory,
// and [Launcher.Isolation] says what is missing. Two such replicas would have the same
// identity in an election: see [Launcher.CheckReplicas].
//
// The init is this executable itself, started again. See internal/pid1 for how it takes
// over and why that is cheap. A program need not call anything for it.
package sandbox
