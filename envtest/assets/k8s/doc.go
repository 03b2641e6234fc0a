// Command k8s is etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kubectl in one binary, which is
// linked to each of these names and takes the part that it is called by. One binary is linked once, and is smaller and
// faster to build than five that share most of their packages.
package main
