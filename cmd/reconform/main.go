// Command reconform judges Kubernetes controllers: does a controller reconcile?
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"reconform.dev/reconform/cmd/internal/program"
	"reconform.dev/reconform/internal/record/sanitize"
)

// version is set by the linker.
var version = "devel"

// The exit statuses, on which scripts depend. Status 1 means that the controller is not
// conformant, or diverges: the command then returns a statusError.
const (
	statusOK           = 0
	statusUsage        = 2
	statusInconclusive = 3
)

func main() {
	program.Begin()
	os.Exit(execute(os.Args[1:], os.Stdout, ownStderr()))
}

// ownStderr returns standard error, and takes it away from libraries: kustomize warns there
// of old fields, which we tell in a note. A panic is still seen.
func ownStderr() *os.File {
	own := os.Stderr
	if nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		os.Stderr = nowhere
	}
	return own
}

// execute runs the command and turns its result into an exit status.
func execute(args []string, stdout, stderr io.Writer) int {
	ctx, cancel := program.Interruptible()
	defer cancel()

	out := &output{Writer: stdout}
	cmd := newCommand()
	cmd.SetArgs(args)
	cmd.SetOut(out)
	cmd.SetErr(stderr)
	err := cmd.ExecuteContext(ctx)
	if out.err != nil {
		err = benchError{fmt.Errorf("writing to standard output: %w", out.err)}
	}
	var status statusError
	switch {
	case err == nil:
		return statusOK
	case program.Unread():
		return program.StatusUnread // nobody reads the output any more
	case errors.As(err, &status):
		return int(status)
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "interrupted")
		if err := besidesInterruption(err); err != nil {
			printError(stderr, err)
		}
		return statusInconclusive
	default:
		printError(stderr, err)
		var broken benchError
		if errors.As(err, &broken) {
			return statusInconclusive
		}
		return statusUsage
	}
}

// printError prints an error, which may contain output of a subject.
func printError(stderr io.Writer, err error) {
	fmt.Fprintf(stderr, "error: %s\n", sanitize.Text(err.Error()))
}

// statusError ends the command with a status and without another message.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// benchError is our own failure, and not wrong usage.
type benchError struct{ error }

func (e benchError) Unwrap() error { return e.error }

// besidesInterruption returns what went wrong besides the interruption, such as a folder
// that could not be removed.
func besidesInterruption(err error) error {
	var broken benchError
	if errors.As(err, &broken) {
		err = broken.error
	}
	joined, ok := err.(interface{ Unwrap() []error })
	switch {
	case ok:
		var rest []error
		for _, err := range joined.Unwrap() {
			rest = append(rest, besidesInterruption(err))
		}
		return errors.Join(rest...)
	case errors.Is(err, context.Canceled):
		return nil
	default:
		return err
	}
}
