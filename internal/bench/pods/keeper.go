package pods

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Image returns the image that Pods run, in a registry: a prefix such as
// registry.example/team/. Without a prefix the nodes must already have it, under a name
// that no registry has.
func Image(prefix string) string {
	if prefix == "" {
		prefix = "registry.example"
	}
	return strings.TrimSuffix(prefix, "/") + "/reconform-pod:v1"
}

// Keeper makes the Pods of scenarios run on a cluster with real nodes.
type Keeper struct {
	// Image replaces all other images: see [Image].
	Image string
	// Client of the cluster.
	Client client.Client
	// Slow is called for a Pod that its node was slow to run, with the Pod's last state. The
	// scenario is the name of its namespace.
	Slow func(scenario, pod string, took time.Duration, state string)

	mu    sync.Mutex
	idle  map[string]bool // by the names of the scenarios' namespaces
	clock clock
}

// Run lets the Pods run in a namespace, and in those whose names begin with its name and a
// dash. This is the default.
func (k *Keeper) Run(namespace string) { k.setIdle(namespace, false) }

// Rest stops the Pods there: new Pods are created, but wait, as on a control plane without
// nodes. Otherwise a scenario that needs no Pods would fill the nodes that other scenarios
// need.
func (k *Keeper) Rest(ctx context.Context, namespace string) error {
	k.setIdle(namespace, true)
	var present corev1.PodList
	if err := k.Client.List(ctx, &present); err != nil {
		return fmt.Errorf("listing Pods: %w", err)
	}
	for _, pod := range present.Items {
		if !k.isIdle(pod.Namespace) {
			continue
		}
		k.measure(&pod, (*clock).stop)
		if pod.Spec.NodeName == "" {
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

// isIdle tells whether Pods must not run in a namespace.
func (k *Keeper) isIdle(namespace string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.idle[k.scenario(namespace)]
}

// scenario returns the scenario that the namespace belongs to: the one for which Run or
// Rest was called, and whose name begins the namespace's. If there is none, it returns the
// namespace itself.
func (k *Keeper) scenario(namespace string) string {
	for name := namespace; name != ""; name = name[:max(0, strings.LastIndexByte(name, '-'))] {
		if _, said := k.idle[name]; said {
			return name
		}
	}
	return namespace
}

// measure looks at the clock, or stops it, and reports the Pod if it was slow.
func (k *Keeper) measure(pod *corev1.Pod, look func(*clock, *corev1.Pod, time.Time) (time.Duration, bool)) {
	k.mu.Lock()
	took, tell := look(&k.clock, pod, time.Now())
	scenario := k.scenario(pod.Namespace)
	k.mu.Unlock()
	if tell {
		k.Slow(scenario, pod.Name, took, state(pod))
	}
}
