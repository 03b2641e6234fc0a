// Package disruption serves the Disruption objects. A Disruption does something to the
// processes of the controller under test, once, and reports the result. Or it drains a Node
// that has Pods of its namespace: only these are evicted, because all scenarios share the
// Nodes.
package disruption
