// Package program is the start of every program that runs the suite, and how it is
// interrupted: cmd/reconform, cmd/matrix and cmd/soak.
package program
