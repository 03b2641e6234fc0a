// Assets unpacks the control plane's binaries, for `make assets`. It takes them from the
// archive of a release that RECONFORM_ASSETS names:
//
//	assets -version v1.37.2 bin/k8s/v1.37.2
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"reconform.dev/reconform/envtest/release"
)

// The exit statuses, the same as those of the command reconform.
const (
	statusUsage  = 2
	statusFailed = 3
)

func main() { os.Exit(run()) }

func run() int {
	version := flag.String("version", "", "Kubernetes version of the binaries")
	flag.Parse()
	archive := release.FromEnvironment(func(text string) { fmt.Fprintln(os.Stderr, "  "+text) })
	if *version == "" || flag.NArg() != 1 || archive == nil {
		fmt.Fprintf(os.Stderr, "usage: %s=ARCHIVE [%s=SUM] assets -version VERSION FOLDER\n", release.LocationVariable, release.SumVariable)
		return statusUsage
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	if err := archive.Install(ctx, *version, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return statusFailed
	}
	return 0
}
