//go:build unix

// Package sandbox starts the controller under test: one process tree for each replica,
// in surroundings like those of a Pod.
//
// On Linux a replica gets mount, UTS, PID, IPC and, where possible, network namespaces
// of its own (below a user namespace where the bench does not run as root). It finds
// there a hostname, a service-account folder, KUBERNETES_SERVICE_HOST and _PORT that
// lead to its proxy, and, for those that look elsewhere, KUBECONFIG and a HOME. The
// tokens in them are the proxy's: the API server refuses them. A network of its own has
// the loopback interface only, on which the bench serves the proxy and what the Spec
// names.
//
// The HOME of the bench's user, /run, /tmp and the like are hidden and the rest is
// read-only; the program and its directory keep their paths, even below a folder that
// only their owner may enter. It runs without privileges, and nothing of the bench's
// environment. A small init is process 1. It ends the whole tree when the bench is gone,
// even if SIGKILL ended the bench.
//
// Where there are no namespaces, a replica gets KUBECONFIG, HOME and TMPDIR in a
// scratch directory, and [Launcher.Isolation] says what is missing. Two such replicas
// would have the same identity in an election: see [Launcher.CheckReplicas].
//
// The init is this executable itself, started again; see internal/pid1 for how it takes
// over and why that is cheap. A program need not call anything for it.
package sandbox
