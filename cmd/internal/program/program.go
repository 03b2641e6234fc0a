package program

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"reconform.dev/reconform/envtest/supervisor"
	"reconform.dev/reconform/internal/chainsaw"
)

// Begin must be the first statement of main. The same executable is also what stands
// above each child process, and what runs Chainsaw: started as one of them, the process
// does not come back from here.
//
// It ends what libraries log process-wide, too: that is nothing that the user should
// see, and the bench's controllers have a log file of their own.
func Begin() {
	supervisor.Main()
	chainsaw.Main()
	log.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
}

// Interruptible returns a context that a first Ctrl+C ends, for an orderly end; so do
// SIGTERM and SIGHUP, unless nohup had that ignored. A second one ends the process at
// once, and the children of a process that is gone end by themselves. Call the function
// that it returns when nothing is left to be interrupted.
func Interruptible() (context.Context, context.CancelFunc) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), signals...)
	context.AfterFunc(ctx, cancel)
	return ctx, cancel
}
