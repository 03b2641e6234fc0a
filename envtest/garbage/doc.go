// Package garbage makes the processes of a control plane, and those beside it, collect
// garbage less often. Garbage collection was half of kube-apiserver's CPU time.
package garbage
