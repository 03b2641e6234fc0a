package trial

import (
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
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

// TestMissingChild: a child that never came, and that somebody is to change or delete, is a difference
// if the subject was disturbed when it should have made it.
func TestMissingChild(t *testing.T) {
	gone := apierrors.NewNotFound(schema.GroupResource{Resource: "services"}, "demo")
	child := &v1alpha1.TrialTarget{Resource: "services", Name: "demo"}
	removed := v1alpha1.TrialOperation{DeleteChild: child}
	for name, tc := range map[string]struct {
		step v1alpha1.TrialOperation
		from int // the operation before which it is disturbed
		err  error
		want int
	}{
		"disturbed before":           {removed, 0, gone, 1},
		"a child that is changed":    {v1alpha1.TrialOperation{Drift: &v1alpha1.TrialDrift{TrialTarget: *child}}, 0, gone, 1},
		"disturbed only now":         {removed, 1, gone, 0},
		"another error":              {removed, 0, errors.New("away"), 0},
		"an object of somebody else": {v1alpha1.TrialOperation{Delete: child}, 0, gone, 0},
	} {
		r := &run{disturbance: &disturbance{from: tc.from}, armed: true}
		o := operation{TrialOperation: tc.step, resource: schema.GroupVersionResource{Resource: "services"}, name: "demo"}
		told := r.lacks(o, 1, tc.err)
		if told != (tc.want > 0) || len(r.divergences) != tc.want || told && (r.divergences[0].Kind != v1alpha1.DivergenceMissing || r.divergences[0].Object != "services demo") {
			t.Errorf("%s: %t, %+v", name, told, r.divergences)
		}
	}
	if undisturbed := (&run{}); undisturbed.lacks(operation{TrialOperation: removed}, 1, gone) {
		t.Error("undisturbed")
	}
}
