// Package program starts every program that runs the suite (cmd/reconform, cmd/matrix and
// cmd/soak), and handles its interruption.
package program
