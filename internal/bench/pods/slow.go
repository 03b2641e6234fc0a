package pods

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// slow is the time from which on a Pod is reported as slow. On a quiet node it is ready
// within two or three seconds.
const slow = 5 * time.Second

// clock measures how long the nodes took until they had done their part for Pods.
type clock struct {
	since map[types.UID]time.Time // when each was first seen without a scheduling gate
	told  map[types.UID]bool      // whether its time is known
}

// look looks at a Pod, perhaps for the last time. tell is true, once, if the Pod was slow.
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

// served tells whether a node has done its part: the Pod is ready, or it is not ready for a
// reason that has nothing to do with the node.
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
