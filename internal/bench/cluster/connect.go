package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"reconform.dev/reconform/internal/profile/strictyaml"
)

// Connect returns access to the cluster of a context of a kubeconfig. An empty context
// means the current one. The client has no rate limit; the API server limits it.
func Connect(kubeconfig, context string) (*rest.Config, kubernetes.Interface, error) {
	found, err := contextOf(kubeconfig, context)
	if err != nil {
		return nil, nil, err
	}
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(
		&clientcmd.ClientConfigLoadingRules{ExplicitPath: kubeconfig}, &clientcmd.ConfigOverrides{CurrentContext: context},
	).ClientConfig()
	if err != nil {
		return nil, nil, fmt.Errorf("the context %q of %s leads to no cluster: %w", found.CurrentContext, kubeconfig, err)
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
	info, err := os.Stat(kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", kubeconfig, strictyaml.Cause(err))
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", kubeconfig)
	}
	config, err := clientcmd.LoadFromFile(kubeconfig)
	if errors.As(err, new(*fs.PathError)) {
		return nil, fmt.Errorf("reading %s: %w", kubeconfig, strictyaml.Cause(err))
	}
	if err != nil || len(config.Contexts) == 0 { // the error names only types of the library
		return nil, fmt.Errorf("%s is not a kubeconfig: give the file that kubectl uses, such as ~/.kube/config", kubeconfig)
	}
	contexts := strings.Join(slices.Sorted(maps.Keys(config.Contexts)), ", ")
	if context == "" {
		if config.CurrentContext == "" {
			return nil, fmt.Errorf("%s has no current context; choose one of its contexts by --context: %s", kubeconfig, contexts)
		}
		if _, ok := config.Contexts[config.CurrentContext]; !ok {
			return nil, fmt.Errorf("%s has no context %q, which is its current one; choose one by --context: %s", kubeconfig, config.CurrentContext, contexts)
		}
		return config, nil
	}
	if _, ok := config.Contexts[context]; !ok {
		return nil, fmt.Errorf("%s has no context %q; it has: %s", kubeconfig, context, contexts)
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
