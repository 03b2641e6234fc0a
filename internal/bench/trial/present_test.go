package trial

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestIsThere: an operation on a child begins when that is there.
func TestIsThere(t *testing.T) {
	services := schema.GroupVersionResource{Version: "v1", Resource: "services"}
	service := func(name string) *unstructured.Unstructured {
		o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Service"}}
		o.SetNamespace("a")
		o.SetName(name)
		return o
	}
	for name, tc := range map[string]struct {
		about   string
		objects []runtime.Object
		want    bool
	}{
		"it is there":                  {"demo", []runtime.Object{service("demo")}, true},
		"another one is":               {"demo", []runtime.Object{service("demo-2")}, false},
		"one whose name is made up":    {"demo-?????", []runtime.Object{service("demo-x7k2p")}, true},
		"none whose name is made up":   {"demo-?????", []runtime.Object{service("demo")}, false},
		"there is nothing of its kind": {"demo", nil, false},
	} {
		lists := map[schema.GroupVersionResource]string{services: "ServiceList"}
		r := &run{Controller: &Controller{Dynamic: fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), lists, tc.objects...)}, namespace: "a"}
		o := operation{TrialOperation: v1alpha1.TrialOperation{DeleteChild: &v1alpha1.TrialTarget{}}, resource: services, name: tc.about}
		if got, err := r.isThere(t.Context(), o); got != tc.want || err != nil {
			t.Errorf("%s: %t, %v", name, got, err)
		}
		r.within = time.Nanosecond // it is not waited for what does not come
		if tc.want {
			r.within = time.Minute
		}
		if restless, err := r.awaitChild(t.Context(), o); restless || err != nil {
			t.Errorf("%s: restless %t, %v", name, restless, err)
		}
	}
}
