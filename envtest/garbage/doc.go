// Package garbage makes the processes of a control plane, and those beside it, run Go's
// garbage collector less often. Otherwise that takes half of kube-apiserver's CPU time.
package garbage
