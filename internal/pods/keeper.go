package pods

import (
	"context"
	"fmt"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Image is the one that Pods run, in a registry: a prefix such as registry.example/team/.
// Without a prefix the nodes must have it already, by a name that no registry has.
func Image(prefix string) string {
	if prefix == "" {
		prefix = "registry.example"
	}
	return strings.TrimSuffix(prefix, "/") + "/reconform-pod:v1"
}

// Keeper sees to the Pods of scenarios on a cluster with real nodes.
type Keeper struct {
	// Image stands in for all others: see [Image].
	Image string
	// Client of the cluster.
	Client client.Client

	mu   sync.Mutex
	idle map[string]bool // by the names of scenarios' namespaces
}

// Run has the Pods run in a namespace, and in those whose names begin with its name and a
// dash. They do where nothing else is said.
func (k *Keeper) Run(namespace string) { k.setIdle(namespace, false) }

// Rest has no Pod run there, or no more: they are created and wait, as on a control plane
// without nodes. A scenario that needs none would fill the nodes for those that do.
func (k *Keeper) Rest(ctx context.Context, namespace string) error {
	k.setIdle(namespace, true)
	var present corev1.PodList
	if err := k.Client.List(ctx, &present); err != nil {
		return fmt.Errorf("listing Pods: %w", err)
	}
	for _, pod := range present.Items {
		if pod.Spec.NodeName == "" || !k.isIdle(pod.Namespace) {
			continue
		}
		if err := k.Client.Delete(ctx, &pod, client.GracePeriodSeconds(1)); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("deleting Pod %s/%s: %w", pod.Namespace, pod.Name, err)
		}
	}
	return nil
}

func (k *Keeper) setIdle(namespace string, idle bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.idle == nil {
		k.idle = map[string]bool{}
	}
	k.idle[namespace] = idle
}

// isIdle finds what was said of a namespace, or of one whose name it begins with.
func (k *Keeper) isIdle(namespace string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for name := namespace; name != ""; name = name[:max(0, strings.LastIndexByte(name, '-'))] {
		if idle, said := k.idle[name]; said {
			return idle
		}
	}
	return false
}
