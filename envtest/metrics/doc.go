// Package metrics does the work of metrics-server on a control plane whose Pods do not
// run: it serves metrics.k8s.io, from which the horizontal autoscaler and kubectl top
// learn how much CPU and memory a Pod uses. A Pod uses what its annotations say.
package metrics
