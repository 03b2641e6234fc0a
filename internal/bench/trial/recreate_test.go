package trial

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"
	clienttesting "k8s.io/client-go/testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// TestShowsBetween: only a Fault that shows an old state can show the moment between a
// deletion and the next creation, and only if the object is recreated.
func TestShowsBetween(t *testing.T) {
	stale := &v1alpha1.FaultAction{Stale: &v1alpha1.Stale{}}
	crash := &v1alpha1.FaultAction{Crash: &v1alpha1.Crash{}}
	recreate := v1alpha1.TrialOperation{Recreate: &v1alpha1.TrialObject{}}
	for name, tc := range map[string]struct {
		fault     *v1alpha1.FaultAction
		operation v1alpha1.TrialOperation
		want      bool
	}{
		"old state of what is recreated": {stale, recreate, true},
		"old state from before an edit":  {stale, v1alpha1.TrialOperation{Patch: &v1alpha1.TrialPatch{}}, false},
		"another fault":                  {crash, recreate, false},
		"no fault":                       {nil, recreate, false},
	} {
		d := &disturbance{TrialDisturbance: v1alpha1.TrialDisturbance{Fault: tc.fault}}
		if got := d.showsBetween(operation{TrialOperation: tc.operation}); got != tc.want {
			t.Errorf("%s: %t, want %t", name, got, tc.want)
		}
	}
}

// TestNeverFree: if an object is not let go, it cannot be created again. That is told of the subject
// whose disturbance is over, and that has nothing to try again later. Undisturbed, nothing can be
// recorded.
func TestNeverFree(t *testing.T) {
	pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	held := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod"}}
	held.SetNamespace("a")
	held.SetName("demo")
	held.SetFinalizers([]string{"example.com/mine"})
	for name, tc := range map[string]struct {
		free bool
		spec v1alpha1.TrialSpec
		told bool
		err  bool
	}{
		"it is free":              {free: true},
		"it is held, undisturbed": {err: true},
		"it is held":              {spec: v1alpha1.TrialSpec{Undisturbed: &v1alpha1.TrialUndisturbed{}, Disturb: &v1alpha1.TrialDisturbance{}}, told: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			client := fake.NewSimpleDynamicClient(runtime.NewScheme(), held.DeepCopy())
			if !tc.free {
				client.PrependReactor("delete", "pods", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, nil })
			}
			r := &run{
				Controller: &Controller{Dynamic: client, Recorder: history.New(io.Discard, nil), Profile: func(string) *profile.Profile { return &profile.Profile{} }},
				namespace:  "a", within: time.Second, spec: tc.spec,
			}
			o := operation{TrialOperation: v1alpha1.TrialOperation{Recreate: &v1alpha1.TrialObject{}}, resource: pods, name: "demo", object: held.DeepCopy()}
			if err := r.do(t.Context(), o); (err != nil) != tc.err {
				t.Errorf("%s: %v", name, err)
			}
			if told := len(r.divergences) == 1 && r.divergences[0].Path == HarmNotLetGo && strings.Contains(r.divergences[0].Found, "example.com/mine"); told != tc.told {
				t.Errorf("%s: %+v", name, r.divergences)
			}
		})
	}
}

// TestInTheWayOfADeletion: a disturbance that may keep the subject from letting an object go ends.
func TestInTheWayOfADeletion(t *testing.T) {
	again := operation{TrialOperation: v1alpha1.TrialOperation{Recreate: &v1alpha1.TrialObject{}}}
	for name, tc := range map[string]struct {
		d    disturbance
		want bool
	}{
		"errors that last":       {disturbance{TrialDisturbance: v1alpha1.TrialDisturbance{Lasting: true, Fault: &v1alpha1.FaultAction{}}}, true},
		"watches that are late":  {disturbance{TrialDisturbance: v1alpha1.TrialDisturbance{Fault: &v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{}}}}, true},
		"a write that waits":     {disturbance{meanwhile: &again}, true},
		"the past":               {disturbance{TrialDisturbance: v1alpha1.TrialDisturbance{Fault: &v1alpha1.FaultAction{Stale: &v1alpha1.Stale{}}}}, false},
		"a write that is lost":   {disturbance{TrialDisturbance: v1alpha1.TrialDisturbance{Fault: &v1alpha1.FaultAction{LoseResponse: &v1alpha1.Empty{}}}}, false},
		"the end of the process": {disturbance{TrialDisturbance: v1alpha1.TrialDisturbance{Terminate: &v1alpha1.Empty{}}}, false},
	} {
		if got := tc.d.isInTheWayOf(again); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
