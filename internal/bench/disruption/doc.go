// Package disruption serves the Disruption objects. A Disruption does something to the
// processes of the controller under test, once, and reports the result.
//
// It can also act on Nodes, which all scenarios share. So a drain evicts only the Pods of its
// own namespace. Actions that would harm the Pods of others are only for Nodes that belong to
// one namespace. These are real Nodes of the control plane, and the scheduler, the controllers
// of Kubernetes and kwok treat them like all others. A [Placer] brings the Pods there.
package disruption
