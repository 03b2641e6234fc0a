// Command matrix proves the suite: it runs every mutant against the requirement that must
// catch it, and every sound controller against everything. The matrix fails if a mutant
// survives, if a mutant is caught for another reason than its own, or if a sound controller
// does not pass.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"reconform.dev/reconform/cmd/internal/program"
)

// The exit statuses.
const (
	statusOK       = 0
	statusUnproved = 1
	statusUsage    = 2
	statusBroken   = 3
)

func main() {
	program.Begin()
	os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs the command, and turns its result into an exit status.
func execute(args []string, stdout, stderr io.Writer) int {
	ctx, cancel := program.Interruptible()
	defer cancel()

	proved, err := prove(ctx, args, stdout, stderr)
	var broken benchError
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "interrupted")
		return statusBroken
	case errors.As(err, &broken):
		fmt.Fprintf(stderr, "error: %v\n", err)
		return statusBroken
	case err != nil:
		fmt.Fprintf(stderr, "error: %v\n", err)
		return statusUsage
	case !proved:
		return statusUnproved
	default:
		return statusOK
	}
}

// benchError is a failure of the bench, or of the matrix itself.
type benchError struct{ error }

func (e benchError) Unwrap() error { return e.error }
