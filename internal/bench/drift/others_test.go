package drift

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/fake"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// settings is a controller that keeps the content of ConfigMaps.
type settings struct {
	client   dynamic.ResourceInterface
	recorder *history.Recorder
}

// make makes a ConfigMap for the owner with UID 1.
func (s settings) make(t *testing.T, name string) {
	t.Helper()
	one := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"mode": "right"}}}
	one.SetName(name)
	one.SetUID(types.UID(name))
	one.SetLabels(map[string]string{"app": "demo"})
	one.SetAnnotations(map[string]string{"for": "right"})
	one.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "demo", UID: "1"}})
	body, err := json.Marshal(one.Object)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.client.Create(t.Context(), one, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	record := s.recorder.Begin(history.Request{Scenario: "here", Verb: history.VerbCreate, Version: "v1", Resource: "configmaps", Namespace: "here", Name: name})
	record.Sent(runtime.ContentTypeJSON, body, nil)
	record.Finish(func(r *history.Request) { r.UID, r.Effect = one.GetUID(), history.EffectEffective })
}

// restore sets the content of a ConfigMap back, and says whether it was another.
func (s settings) restore(ctx context.Context, name string) bool {
	now, err := s.client.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return false
	}
	before := now.DeepCopy()
	keys("data", "mode").put(now.Object, "right")
	keys("metadata", "annotations", "for").put(now.Object, "right")
	if cmp.Equal(before.Object, now.Object) {
		return false
	}
	_, err = s.client.Update(ctx, now, metav1.UpdateOptions{})
	return err == nil
}

// TestChangeOthers: a controller has made two ConfigMaps for an object. It watches the first one. If
// it sets a field of the second one back only when it looks at both, or at its start, it does not
// notice the change. A field that it never sets back is its value at the beginning.
func TestChangeOthers(t *testing.T) {
	for name, test := range map[string]struct {
		watched []string // of whose changes the controller is told
		wakes   bool     // it looks at the second one, too, when the first has changed
		start   bool     // it looks at the second one at its start
		second  v1alpha1.DriftResult
		message string
		starts  int
	}{
		"both are watched": {
			watched: []string{"first", "second"},
			second:  v1alpha1.DriftKept,
			message: "deployments.apps demo: 4 tried",
		},
		"set back at the start only": {
			watched: []string{"first"}, start: true, starts: 1,
			second: v1alpha1.DriftLost,
			message: "the fields that the controller set in other objects of deployments.apps demo: expected: each comes back when somebody else changes it; found: 2 of 4 not so: " +
				`configmaps second data.mode (changed by somebody else, and not back after 10s; it came back when the controller was restarted)`,
		},
		"set back with another one": {
			watched: []string{"first"}, wakes: true,
			second:  v1alpha1.DriftLost,
			message: "not back after 10s; it came back later, when something else was changed",
		},
		"set only once": {
			watched: []string{"first"}, starts: 1,
			second:  v1alpha1.DriftNotAsked,
			message: "deployments.apps demo: 2 tried (others left out: 2)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := onServer(t, v1alpha1.DriftChangeOthers, func(map[string]any) error { return nil })
				if _, err := r.object.write(t.Context(), func(o map[string]any) { keys("metadata", "uid").put(o, "1") }); err != nil {
					t.Fatal(err)
				}
				configMaps := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
				dynamically := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{configMaps: "ConfigMapList"})
				client := dynamically.Resource(configMaps).Namespace("here")
				controller := settings{client, r.object.recorder}
				controller.make(t, "second")
				controller.make(t, "first")
				r.childNames = func(name string, _ map[string]any) (string, string, error) { return name, "first", nil }
				starts := 0
				r.children = &children{client: dynamically, recorder: r.object.recorder, namespace: "here", restart: func(ctx context.Context) error {
					starts++
					if test.start {
						controller.restore(ctx, "second")
					}
					return nil
				}}
				over := make(chan struct{})
				defer close(over)
				go func() {
					for {
						select {
						case <-over:
							return
						case <-time.After(300 * time.Millisecond):
						}
						for _, name := range test.watched {
							if controller.restore(t.Context(), name) && test.wakes {
								controller.restore(t.Context(), "second")
							}
						}
					}
				}()
				r.end(r.changeOthers(t.Context()))
				want := map[string]v1alpha1.DriftResult{
					"configmaps first data.mode": v1alpha1.DriftKept, "configmaps first metadata.annotations.for": v1alpha1.DriftKept,
					"configmaps second data.mode": test.second, "configmaps second metadata.annotations.for": test.second,
				}
				if diff := cmp.Diff(want, results(r)); diff != "" {
					t.Errorf("results (-want +got):\n%s", diff)
				}
				if s := r.status(); !strings.Contains(s.Message, test.message) || starts != test.starts {
					t.Errorf("restarted %d times, expected %d; status %+v", starts, test.starts, s)
				}
			})
		})
	}
}
