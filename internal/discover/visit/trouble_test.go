package visit

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/runner"
)

// TestCopyOf: the copy of a Job has no selector and no labels of the first one, which the API server
// would refuse. Another kind may have such fields for something else.
func TestCopyOf(t *testing.T) {
	for apiVersion, want := range map[string]map[string]any{
		"batch/v1":                  {"template": map[string]any{"metadata": map[string]any{}}},
		"batch.volcano.sh/v1alpha1": {"selector": "of shop", "template": map[string]any{"metadata": map[string]any{"labels": map[string]any{"app": "shop"}}}},
	} {
		source := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": "Job", "spec": map[string]any{
			"selector": "of demo", "template": map[string]any{"metadata": map[string]any{"labels": map[string]any{"app": "demo"}}},
		}}}
		got, err := copyOf(source, "shop-job", "demo", "shop")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.Object["spec"]); diff != "" {
			t.Errorf("spec of a Job of %s (-want +got):\n%s", apiVersion, diff)
		}
	}
}

// TestStrangerFor: the object that takes the name of a child looks like the one in the
// scenarios.
func TestStrangerFor(t *testing.T) {
	labels := map[string]any{"example.com/of": "somebody-else"}
	containers := []any{map[string]any{"name": "app", "image": "registry.example/foreign:v1"}}
	template := map[string]any{"metadata": map[string]any{"labels": labels}, "spec": map[string]any{"containers": containers}}
	once := map[string]any{"metadata": map[string]any{"labels": labels}, "spec": map[string]any{"containers": containers, "restartPolicy": "Never"}}
	selector := map[string]any{"matchLabels": labels}
	for kind, want := range map[string]map[string]any{
		"Deployment":  {"replicas": int64(1), "selector": selector, "template": template},
		"StatefulSet": {"replicas": int64(1), "selector": selector, "template": template},
		"DaemonSet":   {"selector": selector, "template": template},
		"Job":         {"parallelism": int64(1), "template": once},
		"CronJob":     {"schedule": "1 0 1 1 *", "jobTemplate": map[string]any{"spec": map[string]any{"template": once}}},
	} {
		t.Run(kind, func(t *testing.T) {
			p := &profile.Profile{}
			p.Spec.Contract.Children.Deployment.Name = "{{ .spec.app }}-web"
			for _, w := range profile.KnownWorkloads() {
				if w.Kind == kind {
					p.Spec.Contract.Children.Deployment.Workload = &w
				}
			}
			if kind == "CronJob" {
				p.Spec.Contract.Spec.Replicas = &v1alpha1.Field{Path: "spec.when", Format: "{{ .value }} 0 1 1 *"}
			}
			got, err := strangerFor(p, "shop", map[string]any{"app": "store"})
			if err != nil {
				t.Fatal(err)
			}
			if got.GetKind() != kind || got.GetName() != "store-web" {
				t.Errorf("it is %s %s", got.GetKind(), got.GetName())
			}
			if diff := cmp.Diff(want, got.Object["spec"]); diff != "" {
				t.Errorf("spec (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCollideWithADeletion: a controller that deletes the child of another one does not end the
// look, which has just seen that.
func TestCollideWithADeletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		owner := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: infer.ProbeConfigMap, Namespace: Namespace}}
		theirs := &unstructured.Unstructured{}
		theirs.SetAPIVersion("apps/v1")
		theirs.SetKind("Deployment")
		theirs.SetNamespace(Namespace)
		theirs.SetName("demo")
		v := &visitor{
			session:  &runner.Session{Recorder: history.New(nil, nil)},
			client:   fake.NewClientBuilder().WithObjects(owner).Build(),
			dynamic:  dynamicfake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), map[schema.GroupVersionResource]string{services: "ServiceList", shops: "ShopList"}),
			resource: shops,
		}
		err := v.collide(t.Context(), "demo", nil, theirs, func() error { return v.client.Delete(t.Context(), theirs.DeepCopy()) })
		if acts := v.record.Acts; err != nil || len(acts) != 1 || acts[0].Deed != infer.Foreign {
			t.Errorf("%v; acts: %v", err, acts)
		}
	})
}

var shops = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "shops"}
