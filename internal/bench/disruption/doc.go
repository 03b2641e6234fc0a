// Package disruption serves the Disruption objects. A Disruption does something to the
// processes of the controller under test, once, and reports the result.
//
// Or it does something to Nodes. All scenarios share these. So a drain evicts only the Pods
// of its own namespace. What would harm the Pods of others happens only to Nodes that the
// namespace has of its own: real Nodes of the control plane, on which the scheduler, the
// controllers of Kubernetes and kwok act as on all others. A [Placer] brings the Pods there.
package disruption
