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

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"reconform.dev/reconform/envtest"
	"reconform.dev/reconform/internal/bench"
	"reconform.dev/reconform/internal/bench/cluster"
	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/profile"
)

// startControlPlane starts a control plane for this session.
func (s *Session) startControlPlane(ctx context.Context, options SessionOptions, logs string) error {
	options.Console.Phase("starting the control plane")
	if options.WithoutPods {
		options.Console.Printf("  without scheduler and kwok: no selected scenario needs Pods")
	}
	began := time.Now()
	work := filepath.Join(s.work, "controlplane")
	// The garbage collector discovers kinds only every 30 s, so these must exist before it
	// starts.
	definitions, err := bench.CRDs(options.profiles()...)
	if err != nil {
		return err
	}
	s.keptLogs = filepath.Join(logs, "controlplane")
	if options.Beside != nil {
		s.keptLogs += "-alone"
	}
	// After it has stopped, or has not started, and before the work folder is removed.
	s.onClose(func(context.Context) error { return keepLogs(s.controlPlaneLogs(), s.keptLogs) })
	controlPlane, err := envtest.Start(ctx, envtest.Options{
		Kubernetes: options.Kubernetes, WorkDir: work, RemoveIfKilled: s.work, WithoutPods: options.WithoutPods, CRDs: definitions,
		ExtendedResources: nodeResources(options.profiles()),
		CPUProfileDir:     options.CPUProfileDir,
		Progress:          func(text string) { options.Console.Printf("  %s", text) },
	})
	if err != nil {
		return s.keptLog(err)
	}
	s.controlPlane = controlPlane
	s.onClose(controlPlane.Stop)
	s.ControlPlaneTook = time.Since(began)
	s.Kubeconfig = filepath.Join(s.work, "kubeconfig")
	if err := controlPlane.WriteKubeconfig(s.Kubeconfig); err != nil {
		return err
	}
	options.Console.Done("control plane ready")
	return nil
}

// nodeResources returns what each Node needs so that there is enough for each profile.
func nodeResources(profiles []*profile.Profile) corev1.ResourceList {
	all := corev1.ResourceList{}
	for _, p := range profiles {
		for name, count := range p.Spec.Install.NodeResources {
			if had := all[corev1.ResourceName(name)]; had.Value() < count {
				all[corev1.ResourceName(name)] = *resource.NewQuantity(count, resource.DecimalSI)
			}
		}
	}
	return all
}

// controlPlaneLogs returns the folder that the logs are written to.
func (s *Session) controlPlaneLogs() string { return filepath.Join(s.work, "controlplane", "logs") }

// keepLogs moves the logs of the control plane to the folder of the other logs.
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

// takeCluster connects to the cluster and keeps other benches away from it. On the user's
// cluster it removes what a killed bench has left, and makes sure that nothing there can be
// mistaken for ours.
func (s *Session) takeCluster(ctx context.Context, options SessionOptions) error {
	config, client, err := cluster.Connect(s.Kubeconfig, "")
	if err != nil {
		return err
	}
	s.Config = config
	lease, err := cluster.Take(ctx, client)
	if err != nil {
		return fmt.Errorf("taking the cluster of %s: %w", s.Kubeconfig, err)
	}
	s.onClose(lease.Release)
	if options.Standing != nil {
		return s.sweep(ctx)
	}
	if options.Kubeconfig == "" {
		return nil
	}
	left, kept, err := cluster.Left(ctx, client)
	switch {
	case err != nil:
		return fmt.Errorf("looking at the cluster of %s: %w", options.Kubeconfig, err)
	case len(kept) > 0:
		return fmt.Errorf("the cluster of %s has namespaces that a run with --keep has left (%s); when you no longer need them: reconform clean%s",
			options.Kubeconfig, strings.Join(kept, ", "), clusterFlags(options.Kubeconfig, options.Context))
	case len(left) > 0 || lease.Inherited:
		options.Console.Phase("removing what a killed run has left")
		removed, err := cluster.Clean(ctx, s.Config)
		for _, what := range removed {
			options.Console.Printf("  removed %s", what)
		}
		if err != nil {
			return err
		}
	}
	if err := options.checkNames(ctx, client); err != nil {
		return err
	}
	s.onClose(func(ctx context.Context) error {
		options.Console.Phase("removing what was installed")
		clean := cluster.Clean
		if options.Keep {
			clean = cluster.CleanAndKeep
		}
		_, err := clean(ctx, s.Config)
		return err
	})
	return nil
}

// checkNames refuses a cluster that already has namespaces with the names that scenarios
// need.
func (o *SessionOptions) checkNames(ctx context.Context, client kubernetes.Interface) error {
	list, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("looking at the cluster of %s: %w", o.Kubeconfig, err)
	}
	var taken []string
	for _, namespace := range list.Items {
		for _, name := range append([]string{subject.PreflightNamespace}, o.namespaces()...) {
			if namespace.Name == name || strings.HasPrefix(namespace.Name, name+"-") {
				taken = append(taken, namespace.Name)
				break
			}
		}
	}
	if len(taken) > 0 {
		return fmt.Errorf("the cluster of %s has namespaces whose names the scenarios need, and that do not belong to the bench; "+
			"use another cluster, or delete them first: kubectl delete namespace %s", o.Kubeconfig, strings.Join(taken, " "))
	}
	return nil
}

// BinDir returns the folder of the control plane's binaries, kubectl among them. It is
// empty on the user's cluster.
func (s *Session) BinDir() string {
	if s.standing != nil {
		return s.standing.BinDir
	}
	if s.controlPlane == nil {
		return ""
	}
	return s.controlPlane.AssetsDir()
}

// checkKubectl makes sure that there is a kubectl, because scenarios call it. Without it
// the subject would be blamed.
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
