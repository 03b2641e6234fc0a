package subject

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/ports"
	"reconform.dev/reconform/internal/process/sandbox"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/proxy"
)

// Environment has what all Subjects of a bench share.
type Environment struct {
	// Config is an administrator's access to the control plane. The proxies forward to it.
	Config *rest.Config
	// Clientset makes the Subjects' ServiceAccounts, and binds their roles.
	Clientset kubernetes.Interface
	// Recorder records their traffic, and the events of their processes.
	Recorder *history.Recorder
	// Profile returns the profile of the implementation whose Subjects run in a namespace.
	Profile func(namespace string) *profile.Profile
	// Roles returns the roles of its manifests. ClusterRoles exist already.
	Roles func(namespace string) []profile.Grant
	// SetUp creates what the implementation needs in a namespace. It is called for its home,
	// and for each namespace that it serves. It may be nil.
	SetUp func(ctx context.Context, p *profile.Profile, namespace string) error
	// Surround creates bystanders around the first child that a Subject has made in its
	// namespace, and under the names that it asked for without success. Existing ones stay. If
	// Surround is nil, there are no bystanders.
	Surround func(ctx context.Context, child history.Request, inVain []history.Request) error
	// Launcher starts the processes.
	Launcher *sandbox.Launcher
	// Pods, if not nil, makes them run as Pods instead.
	Pods *Pods
	// Authority signs for the proxies.
	Authority *proxy.Authority
	// Interceptor is used by every proxy.
	Interceptor proxy.Interceptor
	// Webhook returns the client configuration by which the API server reaches a path of the
	// bench's webhook handler.
	Webhook func(path string) admissionregistrationv1.WebhookClientConfig
	// WorkDir is the folder for what is needed only while the bench runs: the temporary
	// homes.
	WorkDir string
	// Hidden are folders that the replicas must not see, besides those of their user.
	Hidden []string
	// LogDir is the folder for the output of the processes.
	LogDir string

	ports ports.Pool
}

// logPath returns the file for the output of a replica, in LogDir.
func (e *Environment) logPath(namespace, replica string) string {
	return filepath.Join(e.LogDir, namespace, replica+".log")
}

func (e *Environment) logFile(namespace, replica string) (string, error) {
	path := e.logPath(namespace, replica)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("making the folder for the subject's output: %w", err)
	}
	return path, nil
}

// setUp creates what the implementation needs in the namespaces of a Subject.
func (e *Environment) setUp(ctx context.Context, s *v1alpha1.Subject) error {
	for _, namespace := range served(s) {
		if err := e.label(ctx, namespace, e.Profile(s.Namespace).Spec.Contract.NamespaceLabels); err != nil {
			return fmt.Errorf("setting up namespace %s: %w", namespace, err)
		}
	}
	if e.SetUp == nil {
		return nil
	}
	for _, namespace := range append(served(s), e.home(s)) {
		if err := e.SetUp(ctx, e.Profile(s.Namespace), namespace); err != nil {
			return fmt.Errorf("setting up namespace %s: %w", namespace, err)
		}
	}
	return nil
}

// label gives a namespace the labels without which the implementation does not serve it.
func (e *Environment) label(ctx context.Context, namespace string, labels map[string]string) error {
	if len(labels) == 0 {
		return nil
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": labels}})
	if err != nil {
		return fmt.Errorf("encoding the labels: %w", err)
	}
	_, err = e.Clientset.CoreV1().Namespaces().Patch(ctx, namespace, types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("labelling it: %w", err)
	}
	return nil
}

// served returns the namespaces that the Subject's replicas serve.
func served(s *v1alpha1.Subject) []string { return append([]string{s.Namespace}, s.Spec.Namespaces...) }

// ownNetwork tells whether a replica has its own network.
func (e *Environment) ownNetwork() bool { return e.Pods != nil || e.Launcher.OwnNetwork() }

// checkReplicas says why several replicas of one Subject cannot run, or returns nil.
func (e *Environment) checkReplicas() error {
	if e.Pods != nil {
		return nil
	}
	return e.Launcher.CheckReplicas()
}
