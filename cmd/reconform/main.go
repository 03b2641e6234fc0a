// Command reconform judges Kubernetes controllers: does it reconcile?
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"reconform.dev/reconform/conformance/chainsaw"
	"reconform.dev/reconform/envtest/supervisor"
)

// version is set by the linker.
var version = "devel"

// The exit statuses, which others script against.
const (
	statusOK           = 0
	statusUsage        = 2
	statusInconclusive = 3
)

func main() {
	// The same executable is also what stands above each child process.
	supervisor.Main()
	chainsaw.Main()

	silenceLibraries()
	os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr))
}

// silenceLibraries ends what libraries log process-wide: it is nothing that the
// user should see, and the bench's controllers have a log file of their own.
func silenceLibraries() {
	log.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
}

// execute runs the command and turns how it ended into an exit status. A first
// Ctrl+C ends it in an orderly way; a second one at once, and the children of a
// process that is gone end by themselves.
func execute(args []string, stdout, stderr io.Writer) int {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), signals...)
	defer cancel()
	context.AfterFunc(ctx, cancel)

	cmd := newCommand()
	cmd.SetArgs(args)
	cmd.SetOut(stdout)
	cmd.SetErr(stderr)
	err := cmd.ExecuteContext(ctx)
	var status statusError
	switch {
	case err == nil:
		return statusOK
	case errors.As(err, &status):
		return int(status)
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "interrupted")
		if err := besidesInterruption(err); err != nil {
			fmt.Fprintf(stderr, "error: %v\n", err)
		}
		return statusInconclusive
	default:
		fmt.Fprintf(stderr, "error: %v\n", err)
		var broken benchError
		if errors.As(err, &broken) {
			return statusInconclusive
		}
		return statusUsage
	}
}

// statusError ends the command with a status and nothing more to say.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// benchError is a failure of ours, as opposed to one in how we were called.
type benchError struct{ error }

func (e benchError) Unwrap() error { return e.error }

// besidesInterruption is what else went wrong, such as a folder that could not
// be removed: what was interrupted need not be told.
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
