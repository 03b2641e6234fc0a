package pods

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// slow is how long a Pod takes that is worth telling. On a quiet node it is ready within
// two or three seconds.
const slow = 5 * time.Second

// clock tells how long Pods took until their nodes had done what was asked of them.
type clock struct {
	since map[types.UID]time.Time // each was first seen
	told  map[types.UID]bool      // what became of it
}

// look at a Pod, for the last time perhaps. Once it is known that it was slow, that is to
// be told.
func (c *clock) look(pod *corev1.Pod, now time.Time, last bool) (took time.Duration, tell bool) {
	if c.told[pod.UID] || len(pod.Spec.SchedulingGates) > 0 {
		return 0, false
	}
	if c.since == nil {
		c.since, c.told = map[types.UID]time.Time{}, map[types.UID]bool{}
	}
	if _, known := c.since[pod.UID]; !known {
		c.since[pod.UID] = now
	}
	if !last && !served(pod) && pod.DeletionTimestamp == nil {
		return 0, false
	}
	took = now.Sub(c.since[pod.UID])
	c.told[pod.UID] = true
	return took, took >= slow
}

// served tells whether a node has done its part: the Pod is ready, or what keeps it from
// that is not the node's.
func served(pod *corev1.Pod) bool {
	if isReady(pod) || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		return true
	}
	withheld := pod.Annotations[annotationReady] == "false"
	for _, container := range pod.Spec.Containers {
		i := slices.IndexFunc(pod.Status.ContainerStatuses, func(s corev1.ContainerStatus) bool { return s.Name == container.Name })
		if i < 0 {
			return false
		}
		state := pod.Status.ContainerStatuses[i].State
		if state.Waiting != nil && slices.Contains([]string{"", "ContainerCreating", "PodInitializing"}, state.Waiting.Reason) {
			return false
		}
		withheld = withheld || state.Running == nil
	}
	return withheld
}
