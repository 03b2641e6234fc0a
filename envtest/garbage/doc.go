// Package garbage has the processes of a control plane, and those beside it, collect
// their garbage less often. It was half of what kube-apiserver used of the processor.
package garbage
