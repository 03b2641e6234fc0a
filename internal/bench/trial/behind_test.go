package trial

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

func TestChildThatOutlivesItsOwner(t *testing.T) {
	owner := status(t, "50", 0, "{}")
	owner.gone = true
	owned := func(number, more string) version {
		v := versionOf(t, "children", number, 0, "metadata: {uid: c"+more+"}")
		v.SetOwnerReferences([]metav1.OwnerReference{{UID: owner.GetUID(), Controller: ptr.To(true)}})
		return v
	}
	gone := owned("40", "")
	gone.gone = true
	late := owned("60", "")
	late.gone = true
	other := versionOf(t, "children", "10", 0, "metadata: {uid: c}")
	for name, tc := range map[string]struct {
		child []version
		want  string
	}{
		"it went before":               {[]version{owned("10", ""), gone}, ""},
		"it was being deleted":         {[]version{owned("10", ""), owned("40", ", deletionTimestamp: '2026-01-01T00:00:00Z'"), late}, ""},
		"the garbage collector had it": {[]version{owned("10", ""), late}, "left to the garbage collector"},
		"it was made afterwards":       {[]version{owned("55", ""), late}, "made after apps demo was gone"},
		"made anew afterwards":         {[]version{owned("10", ""), gone, owned("55", ""), late}, "made after"},
		"it is somebody else's":        {[]version{other}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := outlived(owner, tc.child)
			if got != tc.want && (tc.want == "" || !strings.Contains(got, tc.want)) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestBehindWhileItLasts: a controller that is kept in the past cannot know that the owner is
// gone. A controller that is only refused something knows it.
func TestBehindWhileItLasts(t *testing.T) {
	held, gone := status(t, "20", 0, "{}"), status(t, "50", 0, "{}")
	held.SetFinalizers([]string{"example.com/mine"})
	gone.gone = true
	child := versionOf(t, "children", "10", 0, "metadata: {uid: c}")
	child.SetOwnerReferences([]metav1.OwnerReference{{UID: gone.GetUID(), Controller: ptr.To(true)}})
	versions := map[string][]version{gone.key(): {held, gone}, "children demo": {child}}
	for name, tc := range map[string]struct {
		d    *disturbance
		want int
	}{
		"undisturbed":                 {nil, 1},
		"watches that stand still":    {&disturbance{lasts: true}, 0},
		"deletions that are refused":  {&disturbance{lasts: true, TrialDisturbance: v1alpha1.TrialDisturbance{Lasting: true}}, 1},
		"one request that is refused": {&disturbance{}, 1},
	} {
		r := &run{disturbance: tc.d, operations: []operation{{object: &unstructured.Unstructured{}, resource: schema.GroupVersionResource{Resource: gone.resource}, name: gone.GetName()}}}
		if found := r.behindHarm(history.Account{}, versions, history.Generated{}); len(found) != tc.want {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// TestHadFinalizer: only a controller with a finalizer says that it cleans up before its object goes.
func TestHadFinalizer(t *testing.T) {
	owner := status(t, "50", 0, "{}")
	with := func(finalizers ...string) version {
		v := status(t, "10", 0, "{}")
		v.SetFinalizers(finalizers)
		return v
	}
	for name, tc := range map[string]struct {
		versions []version
		want     bool
	}{
		"never":                         {[]version{with(), owner}, false},
		"by the controller":             {[]version{with("example.com/cleanup"), with(), owner}, true},
		"only by the bench":             {[]version{with(ofOthers), owner}, false},
		"only by the garbage collector": {[]version{with(metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents), owner}, false},
		"by both":                       {[]version{with(ofOthers, "example.com/cleanup"), owner}, true},
		"another object with its name":  {[]version{versionOf(t, "apps", "10", 0, "metadata: {uid: other, finalizers: [example.com/cleanup]}"), owner}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := hadFinalizer(owner, tc.versions); got != tc.want {
				t.Errorf("hadFinalizer: %v, want %v", got, tc.want)
			}
		})
	}
}

// TestLateCleanup: a child that the controller deletes itself, when the owner is gone, is
// told as a cleanup in the wrong order, and not as one that is left to the garbage collector.
func TestLateCleanup(t *testing.T) {
	before := status(t, "20", 0, "{}")
	before.SetFinalizers([]string{"example.com/cleanup"})
	owner := status(t, "50", 0, "{}")
	owner.gone = true
	made := versionOf(t, "children", "10", 0, "metadata: {uid: c}")
	made.SetOwnerReferences([]metav1.OwnerReference{{UID: owner.GetUID(), Controller: ptr.To(true)}})
	gone := made
	gone.Unstructured = made.DeepCopy()
	gone.SetResourceVersion("60")
	gone.gone = true
	deletion := history.Request{Verb: history.VerbDelete, Resource: "children", Name: "demo", UID: "c", Effect: history.EffectEffective}
	refused, another := deletion, deletion
	refused.Effect, another.UID = history.EffectRefused, "other"
	of := operation{object: owner.Unstructured, name: "demo"}
	of.resource.Resource = "apps"
	for name, tc := range map[string]struct {
		requests []history.Request
		want     string
	}{
		"it deletes the child":   {[]history.Request{deletion}, HarmLateCleanup},
		"it deletes another one": {[]history.Request{another}, HarmLeftBehind},
		"it is refused":          {[]history.Request{refused}, HarmLeftBehind},
		"it does nothing":        {nil, HarmLeftBehind},
	} {
		t.Run(name, func(t *testing.T) {
			r := &run{operations: []operation{of}}
			versions := map[string][]version{"apps demo": {before, owner}, "children demo": {made, gone}}
			got := r.behindHarm(history.Account{Requests: tc.requests}, versions, history.Generated{})
			if len(got) != 1 || got[0].Path != tc.want || got[0].Object != "children demo" {
				t.Errorf("harm: %+v, want %s", got, tc.want)
			}
		})
	}
}

// TestLeftToTheCollector: a controller whose finalizer is for something else leaves its children to
// the garbage collector. Which of them live then may depend on chance. One that deletes a child
// itself must have done so before.
func TestLeftToTheCollector(t *testing.T) {
	before := status(t, "20", 0, "{}")
	before.SetFinalizers([]string{"example.com/else"})
	owner := status(t, "50", 0, "{}")
	owner.gone = true
	made := func(at string) version {
		v := versionOf(t, "children", at, 0, "metadata: {uid: c}")
		v.SetOwnerReferences([]metav1.OwnerReference{{UID: owner.GetUID(), Controller: ptr.To(true)}})
		return v
	}
	of := operation{object: owner.Unstructured, name: "demo"}
	of.resource.Resource = "apps"
	left := []v1alpha1.TrialMask{{Object: "others demo", Path: HarmLeftBehind}}
	for name, tc := range map[string]struct {
		child       version
		undisturbed *v1alpha1.TrialUndisturbed
		want        int
	}{
		"recorded":                    {made("10"), nil, 1},
		"it leaves none":              {made("10"), &v1alpha1.TrialUndisturbed{Harms: []v1alpha1.TrialMask{{Object: "others demo", Path: HarmLateCleanup}}}, 1},
		"it leaves others":            {made("10"), &v1alpha1.TrialUndisturbed{Harms: left}, 0},
		"it deletes this one itself":  {made("10"), &v1alpha1.TrialUndisturbed{Harms: left, Deletions: []string{"children demo"}}, 1},
		"it deletes such names":       {made("10"), &v1alpha1.TrialUndisturbed{Harms: left, Deletions: []string{"children ????"}}, 1},
		"made when the owner is gone": {made("55"), &v1alpha1.TrialUndisturbed{Harms: left}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			r := &run{operations: []operation{of}, spec: v1alpha1.TrialSpec{Undisturbed: tc.undisturbed}}
			versions := map[string][]version{"apps demo": {before, owner}, "children demo": {tc.child}}
			if got := r.behindHarm(history.Account{}, versions, history.Generated{}); len(got) != tc.want {
				t.Errorf("harm: %+v, want %d", got, tc.want)
			}
		})
	}
}
