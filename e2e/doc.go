// Package e2e judges the reference controller on a real cluster: on a kind cluster of its
// own, or on the one of --kubeconfig or KUBECONFIG, which is left as it was found. It is
// a module of its own: nothing else needs Docker, or what it is made of.
//
// The controller runs once as a process of this machine, and once as it is shipped. Then all
// systems of docs/systems.md are installed by kustomize and by Helm, and looked at as their
// users see them. At last the workloads of docs/cluster.md run.
package e2e
