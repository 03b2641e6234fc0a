// Command k8s is etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kubectl
// in one binary. The binary is linked to each of these names, and behaves as the one with
// which it is called. One binary is linked only once, and is smaller and faster to build
// than five that share most of their packages.
package main
