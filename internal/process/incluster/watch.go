package incluster

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// selection says which Pods are watched.
type selection struct {
	labels, fields string
	// mayCome is true if there may be no Pod yet. Otherwise a watch without a Pod at its
	// beginning returns at once.
	mayCome bool
}

// watch watches Pods until the condition is true for one, or fails.
func (r *Replica) watch(ctx context.Context, selected selection, condition func(watch.EventType, *corev1.Pod) (bool, error)) error {
	pods := r.client.CoreV1().Pods(r.spec.Namespace)
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.LabelSelector, o.FieldSelector = selected.labels, selected.fields
			return pods.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.LabelSelector, o.FieldSelector = selected.labels, selected.fields
			return pods.Watch(ctx, o)
		},
	}
	none := func(store cache.Store) (bool, error) { return !selected.mayCome && len(store.List()) == 0, nil }
	_, err := watchtools.UntilWithSync(ctx, source, &corev1.Pod{}, none, func(event watch.Event) (bool, error) {
		pod, ok := event.Object.(*corev1.Pod)
		if !ok {
			return false, nil
		}
		return condition(event.Type, pod)
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// statusOf returns the status of a container, or nil if there is none yet.
func statusOf(statuses []corev1.ContainerStatus, name string) *corev1.ContainerStatus {
	for i := range statuses {
		if statuses[i].Name == name {
			return &statuses[i]
		}
	}
	return nil
}

// hopeless tells whether a container that waits for this reason will wait for ever.
func hopeless(reason string) bool {
	switch reason {
	case "InvalidImageName", "ErrImageNeverPull", "ImagePullBackOff", "CreateContainerConfigError", "CreateContainerError", "RunContainerError":
		return true
	default:
		return false
	}
}

// describe says what a Pod waits for.
func describe(pod *corev1.Pod) string {
	words := []string{fmt.Sprintf("Pod %s is %s", pod.Name, pod.Status.Phase)}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			words = append(words, condition.Reason+": "+condition.Message)
		}
	}
	for _, status := range append(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses...) {
		switch {
		case status.State.Waiting != nil:
			words = append(words, fmt.Sprintf("container %s waits: %s %s", status.Name, status.State.Waiting.Reason, status.State.Waiting.Message))
		case status.State.Terminated != nil && status.State.Terminated.ExitCode != 0:
			words = append(words, fmt.Sprintf("container %s ended with status %d", status.Name, status.State.Terminated.ExitCode))
		}
	}
	return strings.TrimSpace(strings.Join(words, "; "))
}
