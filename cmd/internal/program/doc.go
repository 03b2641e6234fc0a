// Package program is how every program that runs the suite begins, and how it is
// interrupted: cmd/reconform, the matrix and the soak.
package program
