package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"reconform.dev/reconform/envtest"
	"reconform.dev/reconform/internal/bench"
)

// startControlPlane starts a control plane for this session.
func (s *Session) startControlPlane(ctx context.Context, options SessionOptions, logs string) error {
	options.Console.Phase("starting the control plane")
	if options.WithoutPods {
		options.Console.Printf("  without scheduler and kwok: no selected scenario needs Pods")
	}
	began := time.Now()
	work := filepath.Join(s.work, "controlplane")
	// The garbage collector learns of kinds every 30 s: these must be there
	// before it starts.
	definitions, err := bench.CRDs(options.profiles()...)
	if err != nil {
		return err
	}
	controlPlane, err := envtest.Start(ctx, envtest.Options{
		WorkDir: work, RemoveIfKilled: s.work, WithoutPods: options.WithoutPods, CRDs: definitions,
		ProfileDir: options.ProfileDir,
		Progress:   func(text string) { options.Console.Printf("  %s", text) },
	})
	// Its logs are kept, also where it failed to start: then they are needed most.
	s.onClose(func(context.Context) error {
		return keepLogs(filepath.Join(work, "logs"), filepath.Join(logs, "controlplane"))
	})
	if err != nil {
		return err
	}
	s.controlPlane = controlPlane
	s.onClose(controlPlane.Stop)
	s.ControlPlaneTook = time.Since(began)
	s.Config = controlPlane.Config() // without a limit: the API server sets the pace
	s.Kubeconfig = filepath.Join(s.work, "kubeconfig")
	if err := controlPlane.WriteKubeconfig(s.Kubeconfig); err != nil {
		return err
	}
	options.Console.Done("control plane ready")
	return nil
}

// keepLogs moves the logs of the control plane beside the others.
func keepLogs(from, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return fmt.Errorf("replacing the control plane's logs: %w", err)
	}
	if _, err := os.Stat(from); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return fmt.Errorf("keeping the control plane's logs: %w", err)
	}
	return nil
}

// useCluster connects to the user's cluster, and makes sure that nothing there can be
// mistaken for ours.
func (s *Session) useCluster(ctx context.Context, options SessionOptions) (err error) {
	s.Kubeconfig = options.Kubeconfig
	if s.Config, err = clientcmd.BuildConfigFromFlags("", options.Kubeconfig); err != nil {
		return fmt.Errorf("reading %s: %w", options.Kubeconfig, err)
	}
	s.Config.QPS = -1 // the API server sets the pace
	client, err := kubernetes.NewForConfig(s.Config)
	if err != nil {
		return fmt.Errorf("reading %s: %w", options.Kubeconfig, err)
	}
	taken, err := bench.Namespaces(ctx, client, options.namespaces())
	if err != nil {
		return fmt.Errorf("reaching the cluster of %s: %w", options.Kubeconfig, err)
	}
	if len(taken) > 0 {
		return fmt.Errorf("the cluster of %s has namespaces whose names the scenarios need, "+
			"from a run with --keep or another that is under way; delete them first: kubectl delete namespace %s",
			options.Kubeconfig, strings.Join(taken, " "))
	}
	return nil
}

// BinDir holds the control plane's binaries, kubectl among them. It is empty on the
// user's cluster.
func (s *Session) BinDir() string {
	if s.controlPlane == nil {
		return ""
	}
	return s.controlPlane.AssetsDir()
}

// checkKubectl makes sure that there is a kubectl, which scenarios call. Without it the
// subject would be blamed.
func (s *Session) checkKubectl() error {
	if dir := s.BinDir(); dir != "" {
		if _, err := exec.LookPath(filepath.Join(dir, "kubectl")); err == nil {
			return nil
		}
	}
	if _, err := exec.LookPath("kubectl"); err != nil {
		return fmt.Errorf("looking for kubectl, which scenarios call: %w", err)
	}
	return nil
}
