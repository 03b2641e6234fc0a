package program

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/log"

	_ "reconform.dev/reconform/cmd/internal/temporary" // it must come before envtest
	"reconform.dev/reconform/envtest/garbage"
	"reconform.dev/reconform/envtest/supervisor"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// Begin must be the first statement of main. The same executable is also the supervisor of
// each child process, and the process that runs Chainsaw. In such a process Begin does not
// return.
//
// It also switches off the process-wide logs of libraries, because the user should not see
// them, and the bench's controllers have their own log file.
func Begin() {
	supervisor.Main()
	chainsaw.Main()
	log.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	slog.SetDefault(slog.New(slog.DiscardHandler)) // and of the package log: helm and kustomize warn there
	garbage.CollectLess()
}

// Interruptible returns a context that ends at the first Ctrl+C, so that the process can
// end in order. SIGTERM and SIGHUP do the same, unless nohup makes the process ignore
// SIGHUP. A second signal ends the process at once; its children then end by themselves.
// The context also ends when the output is Unread. Call the returned function when there is
// nothing left to interrupt.
func Interruptible() (context.Context, context.CancelFunc) {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	output, end := context.WithCancel(context.Background())
	watchOutput(end)
	ctx, cancel := signal.NotifyContext(output, signals...)
	context.AfterFunc(ctx, cancel)
	return ctx, cancel
}
