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
	told  map[types.UID]bool      // whether its time was stopped
}

// look stops the time of a Pod if its node has done its part, or if the Pod is being
// deleted. tell is true, once, if the Pod was slow.
func (c *clock) look(pod *corev1.Pod, now time.Time) (took time.Duration, tell bool) {
	if !served(pod) && pod.DeletionTimestamp == nil {
		c.begin(pod, now)
		return 0, false
	}
	return c.stop(pod, now)
}

// stop stops the time of a Pod. tell is true, once, if the Pod was slow.
func (c *clock) stop(pod *corev1.Pod, now time.Time) (took time.Duration, tell bool) {
	if !c.begin(pod, now) {
		return 0, false
	}
	took = now.Sub(c.since[pod.UID])
	c.told[pod.UID] = true
	return took, took >= slow
}

// begin starts the time of a Pod at the first look. It returns false if no time runs: the
// Pod has a scheduling gate, or its time has been stopped.
func (c *clock) begin(pod *corev1.Pod, now time.Time) bool {
	if c.told[pod.UID] || len(pod.Spec.SchedulingGates) > 0 {
		return false
	}
	if c.since == nil {
		c.since, c.told = map[types.UID]time.Time{}, map[types.UID]bool{}
	}
	if _, known := c.since[pod.UID]; !known {
		c.since[pod.UID] = now
	}
	return true
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
