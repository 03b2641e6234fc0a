package objects

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
)

func (s *stage) reconcile(t *testing.T) time.Duration {
	t.Helper()
	result, err := s.Reconcile(t.Context(), ctrl.Request{NamespacedName: demo})
	if err != nil {
		t.Fatal(err)
	}
	return result.RequeueAfter
}

func (s *stage) admit(t *testing.T, uid types.UID) {
	t.Helper()
	if response := s.admission.Handle(t.Context(), creation(t, uid)); !response.Allowed {
		t.Fatal(response.Result)
	}
}

func (s *stage) isInForce(t *testing.T, when string, want types.UID) {
	t.Helper()
	if got := s.actor.inForce[demo]; got != want {
		t.Errorf("%s: in force is %q, want %q", when, got, want)
	}
}

func TestStatusIsWrittenWhereItDiffers(t *testing.T) {
	s := newStage(t, pod("a"))
	s.actor.next = time.Minute
	for range 3 {
		if next := s.reconcile(t); next != time.Minute {
			t.Errorf("looks again after %s", next)
		}
	}
	if s.writes != 1 {
		t.Errorf("%d writes of the same status", s.writes)
	}
	s.actor.phase = corev1.PodFailed
	s.reconcile(t)
	got := &corev1.Pod{}
	if err := s.api.Get(t.Context(), demo, got); err != nil || got.Status.Phase != corev1.PodFailed || s.writes != 2 {
		t.Errorf("status %s after %d writes, %v", got.Status.Phase, s.writes, err)
	}
}

func TestWritesThatFail(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	for name, tc := range map[string]struct {
		refuses error
		next    time.Duration
		err     string
	}{
		"a conflict": {apierrors.NewConflict(pods, "demo", errors.New("it is older")), lookAgain, ""},
		"gone":       {apierrors.NewNotFound(pods, "demo"), time.Minute, ""},
		"another":    {errors.New("no answer"), 0, "writing the status of pod ns/demo: no answer"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, pod("a"))
			s.actor.next, s.refuses = time.Minute, tc.refuses
			result, err := s.Reconcile(t.Context(), ctrl.Request{NamespacedName: demo})
			if result.RequeueAfter != tc.next || (err == nil) != (tc.err == "") || err != nil && err.Error() != tc.err {
				t.Errorf("looks again after %s, %v", result.RequeueAfter, err)
			}
			s.reconcile(t)
			if s.writes != 2 {
				t.Errorf("%d writes, want another one", s.writes)
			}
		})
	}
}

// TestActorThatFails: an actor that fails may say so in the status.
func TestActorThatFails(t *testing.T) {
	s := newStage(t, pod("a"))
	s.actor.err = errors.New("no answer")
	for _, want := range []string{"serving pod ns/demo: no answer\nwriting the status of pod ns/demo: it is older", "serving pod ns/demo: no answer"} {
		s.refuses = nil
		if strings.Contains(want, "older") {
			s.refuses = errors.New("it is older")
		}
		if _, err := s.Reconcile(t.Context(), ctrl.Request{NamespacedName: demo}); err == nil || err.Error() != want {
			t.Errorf("error: %v, want %s", err, want)
		}
	}
	got := &corev1.Pod{}
	if err := s.api.Get(t.Context(), demo, got); err != nil || got.Status.Phase != s.actor.phase {
		t.Errorf("status %s, %v", got.Status.Phase, err)
	}
}

func TestWhatIsGoneIsRemoved(t *testing.T) {
	for name, held := range map[string]bool{"gone": false, "held by a finalizer": true} {
		t.Run(name, func(t *testing.T) {
			object := pod("a")
			if held {
				object.Finalizers = []string{"example.com/hold"}
			}
			s := newStage(t, object)
			s.reconcile(t)
			if err := s.api.Delete(t.Context(), object); err != nil {
				t.Fatal(err)
			}
			s.reconcile(t)
			s.isInForce(t, "after its end", "")
			if diff := cmp.Diff([]string{"advance a", "remove"}, s.actor.calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAnotherOfTheSameName: a new object is admitted while the cache still has the
// earlier one of that name.
func TestAnotherOfTheSameName(t *testing.T) {
	s := newStage(t, pod("old"))
	s.reconcile(t)
	cached := s.server.client
	live := newStage(t).api // the old one is gone there
	s.live = live
	s.admission.kinds["Pod"].(*admitter[*corev1.Pod]).reader = live

	s.admit(t, "new")
	s.isInForce(t, "admitted", "new")
	if next := s.reconcile(t); next <= 0 || next > arriving {
		t.Errorf("looks again after %s", next)
	}
	s.isInForce(t, "while the cache has the old one", "new")
	if err := cached.Delete(t.Context(), pod("old")); err != nil {
		t.Fatal(err)
	}
	s.reconcile(t)
	s.isInForce(t, "once the cache has lost it", "new")
	if err := cached.Create(t.Context(), pod("new")); err != nil {
		t.Fatal(err)
	}
	s.reconcile(t)
	s.isInForce(t, "once the cache has the new one", "new")
	if err := cached.Delete(t.Context(), pod("new")); err != nil {
		t.Fatal(err)
	}
	s.reconcile(t)
	s.isInForce(t, "once it is gone", "")
}

// TestObjectIsNeverStored: the bench admitted an object, and then another webhook or a
// quota refused it.
func TestObjectIsNeverStored(t *testing.T) {
	for name, tc := range map[string]struct {
		stored types.UID // what is there in the end
		want   types.UID
	}{
		"nothing is":   {"", ""},
		"another is":   {"winner", "winner"},
		"it is, later": {"new", "new"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				s.admit(t, "new")
				time.Sleep(s.reconcile(t))
				if tc.stored != "" {
					if err := s.api.Create(t.Context(), pod(tc.stored)); err != nil {
						t.Fatal(err)
					}
				}
				for range 3 {
					s.reconcile(t)
				}
				s.isInForce(t, "in the end", tc.want)
				if _, waits := s.arrivals.of(demo); waits {
					t.Error("it is still awaited")
				}
			})
		})
	}
}

// TestCacheIsBehind: the object is stored, and the cache does not show it yet.
func TestCacheIsBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.admit(t, "new")
		s.live = newStage(t, pod("new")).api
		time.Sleep(2 * arriving)
		if next := s.reconcile(t); next != lookAgain {
			t.Errorf("looks again after %s", next)
		}
		s.isInForce(t, "while the cache lags", "new")
	})
}

// TestObjectCameAndWent: Reconcile never saw the object, because the events of one
// object are merged.
func TestObjectCameAndWent(t *testing.T) {
	s := newStage(t)
	s.admit(t, "new")
	s.arrivals.seen().Create(event.CreateEvent{Object: pod("new")})
	s.reconcile(t)
	s.isInForce(t, "once it is gone", "")
}

// lateCache is a cache that an object reaches right after it was read.
type lateCache struct {
	client.Client
	after func()
}

func (c *lateCache) Get(ctx context.Context, key client.ObjectKey, object client.Object, opts ...client.GetOption) error {
	defer c.after()
	return c.Client.Get(ctx, key, object, opts...)
}

// TestObjectArrivesMeanwhile: an object arrived after the read, so the result of the
// read is out of date.
func TestObjectArrivesMeanwhile(t *testing.T) {
	for name, before := range map[string][]client.Object{"nothing before": nil, "another of its name before": {pod("old")}} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.admit(t, "new")
			s.server.client = &lateCache{newStage(t, before...).api, func() { s.arrivals.seen().Create(event.CreateEvent{Object: pod("new")}) }}
			if next := s.reconcile(t); next != lookAgain {
				t.Errorf("looks again after %s", next)
			}
			s.isInForce(t, "having arrived", "new")
		})
	}
}

func TestRefusedObjectIsNotAwaited(t *testing.T) {
	s := newStage(t)
	s.actor.err = errors.New("no such thing")
	if response := s.admission.Handle(t.Context(), creation(t, "new")); response.Allowed {
		t.Fatal("it is admitted")
	}
	if one, waits := s.arrivals.of(demo); waits {
		t.Errorf("awaited: %+v", one)
	}
}
