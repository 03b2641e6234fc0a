package objects

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// frozenCache is a cache that shows an object as it once was, if it is not nil.
type frozenCache struct {
	client.Client
	shows *corev1.Pod
}

func (c *frozenCache) Get(ctx context.Context, key client.ObjectKey, object client.Object, opts ...client.GetOption) error {
	if c.shows == nil {
		return c.Client.Get(ctx, key, object, opts...)
	}
	c.shows.DeepCopyInto(object.(*corev1.Pod))
	return nil
}

// TestOwnWriteIsAwaited: as long as the cache shows an object as it was before the own
// last write, nothing is written, because the API server would refuse it.
func TestOwnWriteIsAwaited(t *testing.T) {
	for name, ends := range map[string]bool{"its status": false, "its finalizer": true} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, pod("a"))
			if ends {
				newEnder(s)
			}
			cache := &frozenCache{Client: s.api, shows: &corev1.Pod{}}
			if err := s.api.Get(t.Context(), demo, cache.shows); err != nil {
				t.Fatal(err)
			}
			s.server.client = cache
			s.actor.next = time.Minute
			if next := s.reconcile(t); next != time.Minute || s.writes != 1 {
				t.Fatalf("looks again after %s, %d writes", next, s.writes)
			}
			s.actor.phase = corev1.PodFailed
			if next := s.reconcile(t); next != lookAgain || s.writes != 1 {
				t.Errorf("while the cache lags, it looks again after %s, and has written %d times", next, s.writes)
			}
			cache.shows = nil
			s.reconcile(t)
			got := &corev1.Pod{}
			if err := s.api.Get(t.Context(), demo, got); err != nil || got.Status.Phase != corev1.PodFailed || s.writes != 2 {
				t.Errorf("in the end, the status is %s after %d writes, %v", got.Status.Phase, s.writes, err)
			}
			if len(s.written.versions) > 1 {
				t.Errorf("it still remembers %v", s.written.versions)
			}
			if err := s.api.Delete(t.Context(), got); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second time it is gone in any case
				s.reconcile(t)
			}
			if len(s.written.versions) != 0 {
				t.Errorf("gone, it still remembers %v", s.written.versions)
			}
		})
	}
}
