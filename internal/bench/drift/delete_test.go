package drift

import (
	"context"
	"fmt"
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

// keeper is a controller that makes some ConfigMaps for one owner.
type keeper struct {
	client   dynamic.ResourceInterface
	recorder *history.Recorder
	made     int
}

// keep makes the ConfigMap with a name, if it is missing.
func (k *keeper) keep(ctx context.Context, name string, spoilt map[string]any) {
	if _, err := k.client.Get(ctx, name, metav1.GetOptions{}); err == nil {
		return
	}
	k.made++
	uid := types.UID(fmt.Sprint("made-", k.made))
	one := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	one.SetName(name)
	one.SetUID(uid)
	one.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "demo", UID: "1"}})
	for key, value := range spoilt {
		keys("metadata", key).put(one.Object, value)
	}
	if _, err := k.client.Create(ctx, one, metav1.CreateOptions{}); err != nil {
		return
	}
	request := history.Request{Scenario: "here", Verb: history.VerbCreate, Version: "v1", Resource: "configmaps", Namespace: "here", Name: name}
	k.recorder.Begin(request).Finish(func(r *history.Request) { r.UID, r.Effect = uid, history.EffectEffective })
}

// TestDelete: a controller makes the ConfigMap first, which it watches, and second. If it does
// not watch second, it makes it again when the deletion of first wakes it, or at its start. That
// is a mistake, unless it never makes it again.
func TestDelete(t *testing.T) {
	for name, test := range map[string]struct {
		watched []string       // of whose deletion the controller is told
		start   bool           // it makes second again at its start
		wakes   bool           // it makes second again when first is deleted
		second  map[string]any // metadata of second
		exempt  []v1alpha1.Exemption
		results map[string]v1alpha1.DriftResult
		message string
		starts  int
	}{
		"both are watched": {
			watched: []string{"second", "first"},
			results: map[string]v1alpha1.DriftResult{"configmaps first": v1alpha1.DriftKept, "configmaps second": v1alpha1.DriftKept},
			message: "deployments.apps demo: 2 tried",
		},
		"made again at the start only": {
			watched: []string{"first"}, start: true, starts: 1,
			results: map[string]v1alpha1.DriftResult{"configmaps first": v1alpha1.DriftKept, "configmaps second": v1alpha1.DriftLost},
			message: "the objects that the controller made for deployments.apps demo: expected: each comes back by itself when somebody else deletes it; found: 1 of 2 not so: " +
				"configmaps second (deleted by somebody else, and not back after 10s; it came back when the controller was restarted)",
		},
		"made again with another one": {
			watched: []string{"first"}, wakes: true,
			results: map[string]v1alpha1.DriftResult{"configmaps first": v1alpha1.DriftKept, "configmaps second": v1alpha1.DriftLost},
			message: "not back after 10s; it came back later, when something else was deleted",
		},
		"made only once": {
			watched: []string{"first"}, starts: 1,
			results: map[string]v1alpha1.DriftResult{"configmaps first": v1alpha1.DriftKept, "configmaps second": v1alpha1.DriftNotAsked},
			message: "deployments.apps demo: 1 tried (others left out: 1)",
		},
		"held by Kubernetes": {
			watched: []string{"first"}, start: true, second: map[string]any{"finalizers": []any{"kubernetes.io/pvc-protection"}},
			results: map[string]v1alpha1.DriftResult{"configmaps first": v1alpha1.DriftKept, "configmaps second": v1alpha1.DriftNotAsked},
			message: "deployments.apps demo: 1 tried (others left out: 1)",
		},
		"of somebody else": {
			watched: []string{"first"}, start: true, second: map[string]any{"ownerReferences": []any{}},
			results: map[string]v1alpha1.DriftResult{"configmaps first": v1alpha1.DriftKept},
			message: "deployments.apps demo: 1 tried",
		},
		"none is judged": {
			start: true, exempt: []v1alpha1.Exemption{{Resources: []string{"configmaps"}, Why: "they are caches"}},
			results: map[string]v1alpha1.DriftResult{},
			message: "deployments.apps demo: the controller has made nothing for it that could be judged",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := onServer(t, v1alpha1.DriftDelete, func(map[string]any) error { return nil })
				configMaps := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
				client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{configMaps: "ConfigMapList"})
				controller := &keeper{client: client.Resource(configMaps).Namespace("here"), recorder: r.object.recorder}
				if _, err := r.object.write(t.Context(), func(o map[string]any) { keys("metadata", "uid").put(o, "1") }); err != nil {
					t.Fatal(err)
				}
				controller.keep(t.Context(), "second", test.second)
				controller.keep(t.Context(), "first", nil)
				starts := 0
				r.children = &children{client: client, recorder: r.object.recorder, namespace: "here", exempt: test.exempt, restart: func(ctx context.Context) error {
					starts++
					if test.start {
						controller.keep(ctx, "second", nil)
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
						before := controller.made
						for _, name := range test.watched {
							controller.keep(t.Context(), name, nil)
						}
						if test.wakes && controller.made > before {
							controller.keep(t.Context(), "second", nil)
						}
					}
				}()
				r.end(r.deleteAll(t.Context()))
				if diff := cmp.Diff(test.results, results(r)); diff != "" {
					t.Errorf("results (-want +got):\n%s", diff)
				}
				if s := r.status(); !strings.Contains(s.Message, test.message) || starts != test.starts {
					t.Errorf("restarted %d times, expected %d; status %+v", starts, test.starts, s)
				}
			})
		})
	}
}
