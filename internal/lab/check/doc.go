// Package check judges a controller by the goals of a lab: it builds the controller,
// borrows the standing control plane, runs the lab's requirements and plays, and says which
// goals are reached.
package check
