package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"

	"sigs.k8s.io/e2e-framework/pkg/env"
	"sigs.k8s.io/e2e-framework/pkg/envconf"

	"reconform.dev/reconform/internal/bench/cluster"
)

// statusBroken is the exit status if nothing could be judged, as reconform's own.
const statusBroken = 3

var testenv env.Environment

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	config, err := envconf.NewFromFlags()
	if err != nil {
		return broken(err)
	}
	given := config.KubeconfigFile()
	if given == "" {
		given = os.Getenv("KUBECONFIG")
	}
	if given != "" {
		if err := cluster.LooksLikeProduction(given, ""); err != nil {
			return broken(err)
		}
		testenv = env.NewWithConfig(config.WithKubeconfigFile(given))
		return testenv.Run(m)
	}
	work, err := os.MkdirTemp("", "reconform-e2e-")
	if err != nil {
		return broken(err)
	}
	defer os.RemoveAll(work)
	removeImages, err := buildImages(ctx)
	if err != nil {
		return broken(fmt.Errorf("building the images: %w", err))
	}
	own, err := createCluster(ctx, filepath.Join(work, "kubeconfig"))
	removeImages() // the nodes have them
	if err != nil {
		return broken(err)
	}
	// Ctrl+C ends the tests at once, and not before the cluster is gone.
	deleted := make(chan error, 1)
	over := context.AfterFunc(ctx, func() {
		deleted <- own.delete()
		_ = os.RemoveAll(work)
		os.Exit(broken(errors.Join(errors.New("interrupted"), <-deleted)))
	})
	testenv = env.NewWithConfig(config.WithKubeconfigFile(own.kubeconfig))
	status := testenv.Run(m)
	if !over() {
		select {} // the interruption ends this process
	}
	if status != 0 {
		own.keepLogs()
	}
	if err := own.delete(); err != nil {
		return broken(err)
	}
	return status
}

func broken(err error) int {
	fmt.Fprintln(os.Stderr, "error:", err)
	return statusBroken
}
