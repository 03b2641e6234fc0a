// Package check judges a controller by what a lab asks for: it builds it, borrows the
// standing control plane, runs the lab's requirements and plays, and says what is reached
// and what is not.
package check
