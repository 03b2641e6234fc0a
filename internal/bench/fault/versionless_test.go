package fault

import (
	"maps"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// versionless is a client that does not list. It watches without a version, again and again,
// as the clients of some languages do: each watch begins with everything that exists.
type versionless struct {
	mu    sync.Mutex
	told  map[string]string
	begun int
}

func (v *versionless) run(c *apiClient) {
	for c.t.Context().Err() == nil {
		w, err := c.through.Watch(c.t.Context(), metav1.ListOptions{LabelSelector: "test=true"})
		if err != nil {
			continue
		}
		v.note(func() { v.begun++ })
		for event := range w.ResultChan() {
			if object, ok := event.Object.(*corev1.ConfigMap); ok {
				v.note(func() { v.told[object.Name] = object.Data["value"] })
			}
		}
	}
}

func (v *versionless) note(what func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	what()
}

// lacks is the difference between what it was told and the values given.
func (v *versionless) lacks(want map[string]string) (diff string) {
	v.note(func() { diff = cmp.Diff(want, maps.Clone(v.told)) })
	return diff
}

// A watch that names no version cannot be answered with 410. It starts from the
// beginning, which counts as a hit, and gets the events that the watch before it did
// not get.
func TestVersionlessWatchSurvivesDropThenExpire(t *testing.T) {
	c := newAPIClient(t, true, "h2")
	c.put("kept", "1")
	c.put("changed", "1")
	client := &versionless{told: map[string]string{}}
	go client.run(c)
	c.eventually("the first watch", func() string { return client.lacks(map[string]string{"kept": "1", "changed": "1"}) })

	c.fault("lost", nil, v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{Drop: &v1alpha1.WatchDrop{Events: 1000}}})
	c.put("changed", "2")
	c.hits("lost", 1)
	if diff := client.lacks(map[string]string{"kept": "1", "changed": "1"}); diff != "" {
		t.Errorf("the change was lost, and yet:\n%s", diff)
	}
	c.fault("expired", nil, v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{Expire: &v1alpha1.WatchExpire{As: v1alpha1.ExpireAsStatus}}})
	c.hits("expired", 1)
	c.eventually("what was lost", func() string { return client.lacks(map[string]string{"kept": "1", "changed": "2"}) })
	c.put("kept", "2")
	c.eventually("a change after that", func() string { return client.lacks(map[string]string{"kept": "2", "changed": "2"}) })
	client.note(func() {
		if client.begun != 2 {
			t.Errorf("it began %d watches, want 2: the second is let through, and stays", client.begun)
		}
	})
}

// A watch without a version that begins under a stale read starts with the current state,
// and then stands still.
func TestVersionlessWatchStandsStill(t *testing.T) {
	c := newAPIClient(t, true, "h2")
	c.put("kept", "1")
	c.put("changed", "1")
	c.fault("stale", nil, v1alpha1.FaultAction{Stale: &v1alpha1.Stale{}})
	c.put("changed", "2")
	client := &versionless{told: map[string]string{}}
	go client.run(c)
	c.eventually("what there is", func() string { return client.lacks(map[string]string{"kept": "1", "changed": "2"}) })
	c.hits("stale", 1)
	c.put("kept", "2")
	if diff := client.lacks(map[string]string{"kept": "1", "changed": "2"}); diff != "" {
		t.Errorf("it does not stand still:\n%s", diff)
	}
	c.lift("stale")
	c.eventually("convergence", func() string { return client.lacks(map[string]string{"kept": "2", "changed": "2"}) })
}
