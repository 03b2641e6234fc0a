package observation

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/objects"
	"reconform.dev/reconform/internal/profile/expectation"
)

// cameAt is a judge of an Observation whose eventually came true at the
// resourceVersion; empty: it did not yet.
func cameAt(t *testing.T, expression, resourceVersion string, now time.Time) *judge {
	t.Helper()
	j, err := newJudge(v1alpha1.ObservationSpec{Resource: "a", Eventually: expression}, expectation.Times{Scale: 1}, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{resourceVersion, "1000"} {
		if resourceVersion != "" {
			object := &unstructured.Unstructured{}
			object.SetName("demo")
			object.SetUID("u")
			object.SetResourceVersion(version)
			j.version(object, watch.Modified, now)
		}
	}
	return j
}

func TestOrder(t *testing.T) {
	const expected = `expected "new != null" after "new != null && true", was true at resourceVersion `
	for name, tc := range map[string]struct {
		first, second string
		later         time.Duration
		verdict       v1alpha1.Judgement
		message       string
		next          time.Duration
	}{
		"in order":               {first: "9", second: "10", verdict: v1alpha1.JudgementMet},
		"the other way round":    {first: "10", second: "9", verdict: v1alpha1.JudgementNotMet, message: expected + "9, and the other not before 10"},
		"at once":                {first: "9", second: "9", verdict: v1alpha1.JudgementNotMet, message: expected + "9, and the other not before 9"},
		"none yet":               {verdict: v1alpha1.JudgementPending, message: `waiting for "new != null", 45s at most`},
		"the first is not known": {second: "9", verdict: v1alpha1.JudgementPending, message: "waiting for Observation first", next: objects.Recheck},
		"the first never was":    {second: "9", later: time.Minute, verdict: v1alpha1.JudgementNotMet, message: expected + "9, and the other not within 45s"},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Now()
			own := cameAt(t, "new != null", tc.second, now)
			first := &v1alpha1.Observation{ObjectMeta: metav1.ObjectMeta{Namespace: "cd-007", Name: "first"}}
			c := &Controller{}
			c.open.Put(first, cameAt(t, "new != null && true", tc.first, now), func() {})
			observation := &v1alpha1.Observation{Spec: v1alpha1.ObservationSpec{After: "first"}}
			observation.Namespace = "cd-007"
			observation.Status, _ = own.status(now)

			next := c.order(observation, own, now.Add(tc.later))
			if observation.Status.Verdict != tc.verdict || observation.Status.Message != tc.message || next != tc.next {
				t.Errorf("%s: %s, again in %s; want %s: %s, again in %s",
					observation.Status.Verdict, observation.Status.Message, next, tc.verdict, tc.message, tc.next)
			}
			var order *v1alpha1.ObservedOrder
			if strings.Contains(tc.message, "not before") {
				order = &v1alpha1.ObservedOrder{
					Early: v1alpha1.ObservedVersion{Resource: "a", Name: "demo", UID: "u", ResourceVersion: tc.second},
					Late:  v1alpha1.ObservedVersion{Resource: "a", Name: "demo", UID: "u", ResourceVersion: tc.first},
				}
			}
			if diff := cmp.Diff(order, observation.Status.Order); diff != "" {
				t.Errorf("the order (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAfterAnObservationThatDoesNotExist(t *testing.T) {
	c := &Controller{}
	if _, err := c.begunBefore(&v1alpha1.Observation{Spec: v1alpha1.ObservationSpec{After: "first"}}); err == nil {
		t.Error("an Observation that is not there was found")
	}
}

// TestChanged: a violation says which of the fields that the rule reads have changed: since
// the version before, or since the first one.
func TestChanged(t *testing.T) {
	now := time.Now()
	version := func(version string, replicas int64, label string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"name": "demo", "uid": "u", "resourceVersion": version, "labels": map[string]any{"a": label}},
			"spec":     map[string]any{"replicas": replicas},
		}}
	}
	for name, tc := range map[string]struct {
		never string
		then  []*unstructured.Unstructured
		event watch.EventType
		want  []string
	}{
		"the fields that the rule reads": {"new != null && new.spec.replicas == 2", []*unstructured.Unstructured{version("2", 2, "y")}, watch.Modified, []string{"spec.replicas from 5 to 2"}},
		"no field":                       {"new == null", []*unstructured.Unstructured{version("2", 2, "y")}, watch.Deleted, nil},
		"since the version before":       {"new != null && new.spec.replicas != first.spec.replicas", []*unstructured.Unstructured{version("2", 5, "x"), version("3", 4, "x")}, watch.Modified, []string{"spec.replicas from 5 to 4"}},
	} {
		t.Run(name, func(t *testing.T) {
			j, err := newJudge(v1alpha1.ObservationSpec{Resource: "a", Never: tc.never}, expectation.Times{Scale: 1}, now)
			if err != nil {
				t.Fatal(err)
			}
			j.version(version("1", 5, "x"), watch.Modified, now)
			for _, object := range tc.then {
				j.version(object, tc.event, now)
			}
			status, _ := j.status(now)
			if len(status.Violations) != 1 {
				t.Fatalf("violations: %+v", status.Violations)
			}
			got := status.Violations[0]
			if diff := cmp.Diff(tc.want, got.Changed); diff != "" || got.Deleted != (tc.event == watch.Deleted) || got.UID != "u" {
				t.Errorf("deleted: %v, uid %s, changed (-want +got):\n%s", got.Deleted, got.UID, diff)
			}
		})
	}
}
