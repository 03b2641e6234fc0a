// The manager runs the controller of WebApps until it is told to stop.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"go.uber.org/zap/zapcore"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
)

func main() {
	o := bindFlags(flag.CommandLine)
	// One line for an error, without the stack.
	logging := zap.Options{StacktraceLevel: zapcore.PanicLevel}
	logging.BindFlags(flag.CommandLine)
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "unexpected argument %q: what follows it is not read; a flag that is on or off takes its value after =, as in --leader-elect=true\n", flag.Arg(0))
		os.Exit(2)
	}

	log := zap.New(zap.UseFlagOptions(&logging))
	ctrl.SetLogger(log)
	klog.SetLogger(log)
	if err := run(ctrl.SetupSignalHandler(), o); err != nil {
		log.Error(err, "manager failed")
		os.Exit(1)
	}
}

func run(ctx context.Context, o *options) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("finding the cluster: %w", err)
	}
	mgr, err := newManager(ctx, config, o)
	if err != nil {
		return err
	}
	if err := mgr.Start(ctx); err != nil {
		return fmt.Errorf("running the manager: %w", err)
	}
	return nil
}
