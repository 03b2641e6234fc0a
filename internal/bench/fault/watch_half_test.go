package fault

import (
	"testing"
	"testing/synctest"

	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestHalfEvent: the stream breaks off at the first change, and not at what comes before.
func TestHalfEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &claims{left: 1}
		first := newWatched(t, streamingList, &halfEvent{claim: c.claim()})
		defer first.close()
		first.send("ADDED 5", "END 10", "BOOKMARK 11")
		first.expect("ADDED 5", "END 10", "BOOKMARK 11")
		first.send("MODIFIED 12")
		first.expect("reading a watch: " + errHalfEvent.Error())
		again := newWatched(t, plainWatch, &halfEvent{claim: c.claim()})
		defer again.close()
		again.send("MODIFIED 12", "DELETED 13")
		again.expect("MODIFIED 12", "DELETED 13")
		if c.hits != 1 {
			t.Errorf("%d hits", c.hits)
		}
	})
}

// TestReflectorSurvivesHalfEvents: client-go watches again from its last version.
func TestReflectorSurvivesHalfEvents(t *testing.T) {
	eachClient(t, func(t *testing.T, c *apiClient) {
		informer := c.begin()
		c.fault("half", ptr.To[int32](1), v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{HalfEvent: &v1alpha1.Empty{}}})
		c.change()
		c.hits("half", 1)
		c.eventually("convergence", func() string { return has(informer, after) })
	})
}
