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

// Connect returns access to the cluster of a context of a kubeconfig. An empty context
// means the current one. The client has no rate limit; the API server limits it.
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

// contextOf reads a kubeconfig and makes a context the current one, unless it is empty. If
// the context does not exist, the error names those that do.
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

// WriteContext writes a kubeconfig (mode 0600) that has only one context of another
// kubeconfig. It is for programs that use the current context.
func WriteContext(kubeconfig, context, to string) error {
	config, err := contextOf(kubeconfig, context)
	if err != nil {
		return err
	}
	if err := api.MinifyConfig(config); err != nil {
		return fmt.Errorf("reading context %s of %s: %w", context, kubeconfig, err)
	}
	// The paths in a kubeconfig are relative to its folder.
	if err := clientcmd.ResolveLocalPaths(config); err != nil {
		return fmt.Errorf("reading context %s of %s: %w", context, kubeconfig, err)
	}
	if err := clientcmd.WriteToFile(*config, to); err != nil {
		return fmt.Errorf("writing a kubeconfig: %w", err)
	}
	return nil
}
