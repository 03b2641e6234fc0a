// Package process holds what runs a replica of the controller under test. It has no code of
// its own: each package below does one job.
//
// In: a command, its environment and its limits.
// Out: a process tree that is confined, its output, and how it ended.
//
//   - sandbox runs a replica as a process of this machine;
//   - incluster runs it as the Pod of a Deployment, on a cluster with nodes;
//   - tunnel carries connections between the bench and that Pod;
//   - capture keeps the first and the last part of what a replica prints;
//   - metrics reads the pages of metrics that a replica serves.
package process
