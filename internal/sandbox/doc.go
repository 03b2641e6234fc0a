//go:build unix

// Package sandbox starts the controller under test: one process tree for each
// replica, which is led to believe that it is a Pod.
//
// On Linux a replica gets mount, UTS and PID namespaces of its own (below a user
// namespace where the bench does not run as root). In there it finds a hostname,
// a service-account folder, KUBERNETES_SERVICE_HOST and _PORT that lead to its
// proxy, and, for those that look elsewhere, KUBECONFIG and a HOME. The machine's
// /run, /tmp and the like are hidden and the rest is read-only; the program and
// its directory keep their paths, also where they lie below a folder that only
// their owner may enter. It runs without privileges, and its environment holds
// nothing of the bench's. A small init is process 1 and brings the end to the
// whole tree when the bench is gone, be it by SIGKILL.
//
// Where namespaces cannot be had, a replica gets KUBECONFIG, HOME and TMPDIR in
// a scratch directory, and [Launcher.Isolation] says what is missing. Two of them
// would be one and the same in an election: see [Launcher.CheckReplicas].
//
// The init is this executable itself, started again; see internal/pid1 for how
// it takes over and why that is cheap. Nothing needs to be called for it.
package sandbox
