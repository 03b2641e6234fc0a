package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// Connect gives access to the cluster of a context of a kubeconfig, without a limit on the
// rate of requests: the API server sets the pace. Empty is the current context.
func Connect(kubeconfig, context string) (*rest.Config, kubernetes.Interface, error) {
	if _, err := contextOf(kubeconfig, context); err != nil {
		return nil, nil, err
	}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{ExplicitPath: kubeconfig}, &clientcmd.ConfigOverrides{CurrentContext: context},
	).ClientConfig()
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", kubeconfig, err)
	}
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, nil, fmt.Errorf("reading %s: %w", kubeconfig, err)
	}
	return config, client, nil
}

// contextOf a kubeconfig makes this context the current one, unless it is empty. One that
// is not there is an error, which names those that are.
func contextOf(kubeconfig, context string) (*api.Config, error) {
	config, err := clientcmd.LoadFromFile(kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", kubeconfig, err)
	}
	if context == "" {
		return config, nil
	}
	if _, ok := config.Contexts[context]; !ok {
		return nil, fmt.Errorf("%s has no context %q; it has: %s", kubeconfig, context, strings.Join(slices.Sorted(maps.Keys(config.Contexts)), ", "))
	}
	config.CurrentContext = context
	return config, nil
}

// WriteContext writes a kubeconfig, 0600, that has a context of another and nothing else,
// for programs that take the current one.
func WriteContext(kubeconfig, context, to string) error {
	config, err := contextOf(kubeconfig, context)
	if err != nil {
		return err
	}
	if err := api.MinifyConfig(config); err != nil {
		return fmt.Errorf("reading context %s of %s: %w", context, kubeconfig, err)
	}
	// Files that it names are relative to it.
	if err := clientcmd.ResolveLocalPaths(config); err != nil {
		return fmt.Errorf("reading context %s of %s: %w", context, kubeconfig, err)
	}
	if err := clientcmd.WriteToFile(*config, to); err != nil {
		return fmt.Errorf("writing a kubeconfig: %w", err)
	}
	return nil
}
