package trial

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

var began = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// versionOf returns a version of an object that was seen some time after the beginning.
func versionOf(t *testing.T, resource, number string, after time.Duration, text string) version {
	t.Helper()
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
		t.Fatal(err)
	}
	object.SetName("demo")
	object.SetResourceVersion(number)
	if object.GetUID() == "" {
		object.SetUID(types.UID(resource))
	}
	return version{resource: resource, Unstructured: object, seen: began.Add(after)}
}

// status is a version of the object of a Trial, of the second generation.
func status(t *testing.T, number string, after time.Duration, text string) version {
	t.Helper()
	return versionOf(t, "apps", number, after, "metadata: {generation: 2}\nstatus: "+text)
}

// child is a version of its child.
func child(t *testing.T, number string, after time.Duration, image string, ready int) version {
	t.Helper()
	v := versionOf(t, "children", number, after, "metadata: {generation: 1}\nspec: {image: "+image+"}\nstatus: {}")
	if ready > 0 {
		_ = unstructured.SetNestedField(v.Object, int64(ready), "status", "readyReplicas")
	}
	v.SetOwnerReferences([]metav1.OwnerReference{{UID: "apps"}})
	return v
}

// TestClaimAboutADeletedChild: if somebody else deletes the child, a claim about it is
// wrong only from then on, and not before the controller tries to make it again.
func TestClaimAboutADeletedChild(t *testing.T) {
	deleted := child(t, "12", 5*time.Second, "a", 0)
	deleted.gone = true
	r := &run{disturbance: &disturbance{}}
	r.disturbance.At.Resource, r.disturbance.At.Name = "children", "demo"
	for name, tc := range map[string]struct {
		until, struck time.Duration
		want          string
	}{
		"taken back at once":             {5500 * time.Millisecond, 0, ""},
		"taken back before it tries":     {8 * time.Second, 8500 * time.Millisecond, ""},
		"taken back long after it tried": {8 * time.Second, 6 * time.Second, "phase Running said of generation 2 for 2s, while children demo was not yet written"},
		"taken back too late":            {8 * time.Second, 0, "phase Running said of generation 2 for 3s, while children demo was not yet written"},
	} {
		claims := claimed([]version{
			status(t, "10", time.Second, "{observedGeneration: 2, phase: Running}"),
			status(t, "21", tc.until, "{observedGeneration: 2, phase: Deploying}"),
			status(t, "31", 10*time.Second, "{observedGeneration: 2, phase: Running}"),
		})
		if r.struck = (time.Time{}); tc.struck > 0 {
			r.struck = began.Add(tc.struck)
		}
		again := child(t, "30", 9*time.Second, "b", 1)
		if got := r.tooEarly(claims[0], map[string][]version{"children demo": {child(t, "5", 0, "a", 1), deleted, again}}); got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// TestClaimFromBeforeAnEditBeside: an edit of an object beside, such as a ConfigMap, raises no
// generation. What the status has said since the creation is wrong only from when the
// controller tried to write the child, and did not get it done.
func TestClaimFromBeforeAnEditBeside(t *testing.T) {
	r := &run{disturbance: &disturbance{}}
	r.disturbance.At = v1alpha1.TrialPoint{Resource: "children", Name: "demo"}
	for name, tc := range map[string]struct {
		struck time.Duration
		want   string
	}{
		"taken back at once":             {3990 * time.Millisecond, ""},
		"taken back before it tries":     {4500 * time.Millisecond, ""},
		"taken back long after it tried": {2 * time.Second, "phase Running said of generation 2 for 2s, while children demo was not yet written"},
	} {
		claims := claimed([]version{
			status(t, "10", time.Second, "{observedGeneration: 2, phase: Running}"),
			status(t, "21", 4*time.Second, "{observedGeneration: 2, phase: Degraded}"),
			status(t, "31", 6*time.Second, "{observedGeneration: 2, phase: Running}"),
		})
		r.struck = began.Add(tc.struck)
		got := r.tooEarly(claims[0], map[string][]version{"children demo": {child(t, "5", 0, "a", 1), child(t, "30", 5*time.Second, "b", 1)}})
		if got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// TestClaimWhileItWaits: a controller that waits for the answer to the write of a child cannot
// take back what its status has said since before the operation. What it has said for the
// operation is wrong at once.
func TestClaimWhileItWaits(t *testing.T) {
	r := &run{disturbance: &disturbance{}, struck: began.Add(2 * time.Second)}
	r.disturbance.At = v1alpha1.TrialPoint{Resource: "children", Name: "demo"}
	for name, tc := range map[string]struct {
		operation, answered time.Duration
		want                bool
	}{
		"said before, and it waits":       {1500 * time.Millisecond, 5 * time.Second, false},
		"said before, answered at once":   {1500 * time.Millisecond, 2 * time.Second, true},
		"said before, and waits a little": {1500 * time.Millisecond, 3500 * time.Millisecond, true},
		"said for the operation":          {500 * time.Millisecond, 5 * time.Second, true},
	} {
		claims := claimed([]version{
			status(t, "10", time.Second, "{observedGeneration: 2, phase: Running}"),
			status(t, "31", 5*time.Second, "{observedGeneration: 2, phase: Deploying}"),
			status(t, "41", 6*time.Second, "{observedGeneration: 2, phase: Running}"),
		})
		r.afterAt, r.answered = began.Add(tc.operation), began.Add(tc.answered)
		got := r.tooEarly(claims[0], map[string][]version{"children demo": {child(t, "5", 0, "a", 1), child(t, "30", 5*time.Second, "b", 1)}})
		if (got != "") != tc.want {
			t.Errorf("%s: %q, want %t", name, got, tc.want)
		}
	}
}

// TestClaimWhileItConflicts: a controller that is answered with Conflict looks again, and says
// nothing of that. A controller that is told to wait does so, often in the client library, and
// does not know of it. What its status has said since before the operation may stay; what it
// says for the operation is wrong.
func TestClaimWhileItConflicts(t *testing.T) {
	for name, tc := range map[string]struct {
		answer    v1alpha1.Respond
		operation time.Duration
		want      bool
	}{
		"said before, a Conflict":         {v1alpha1.Respond{Code: 409, Reason: "Conflict"}, 1500 * time.Millisecond, false},
		"said before, without a reason":   {v1alpha1.Respond{Code: 409}, 1500 * time.Millisecond, false},
		"said for the operation":          {v1alpha1.Respond{Code: 409, Reason: "Conflict"}, 500 * time.Millisecond, true},
		"said before, and it has to wait": {v1alpha1.Respond{Code: 429, RetryAfterSeconds: ptr.To[int32](1)}, 1500 * time.Millisecond, false},
		"said before, a name is taken":    {v1alpha1.Respond{Code: 409, Reason: "AlreadyExists"}, 1500 * time.Millisecond, true},
		"said before, the server failed":  {v1alpha1.Respond{Code: 500}, 1500 * time.Millisecond, true},
	} {
		r := &run{disturbance: &disturbance{}, struck: began.Add(2 * time.Second), answered: began.Add(2 * time.Second)}
		r.disturbance.At = v1alpha1.TrialPoint{Resource: "children", Name: "demo"}
		r.disturbance.fault.Spec.Action.Respond = &tc.answer
		r.afterAt = began.Add(tc.operation)
		claims := claimed([]version{
			status(t, "10", time.Second, "{observedGeneration: 2, phase: Running}"),
			status(t, "31", 8*time.Second, "{observedGeneration: 2, phase: Deploying}"),
			status(t, "41", 9*time.Second, "{observedGeneration: 2, phase: Running}"),
		})
		got := r.tooEarly(claims[0], map[string][]version{"children demo": {child(t, "5", 0, "a", 1), child(t, "30", 8*time.Second, "b", 1)}})
		if (got != "") != tc.want {
			t.Errorf("%s: %q, want %t", name, got, tc.want)
		}
	}
}

// TestClaimWhileNobodyRuns: a process that has ended takes nothing back, and the next one needs time to
// see what there is to do. What was said for the operation is wrong all the same.
func TestClaimWhileNobodyRuns(t *testing.T) {
	for name, tc := range map[string]struct {
		operation, restarted time.Duration
		want                 bool
	}{
		"said before, and killed":            {1500 * time.Millisecond, 4 * time.Second, false},
		"said before, and started before":    {1500 * time.Millisecond, time.Second, true},
		"said for the operation, and killed": {500 * time.Millisecond, 4 * time.Second, true},
	} {
		r := &run{disturbance: &disturbance{}, struck: began.Add(2 * time.Second), answered: began.Add(2 * time.Second)}
		r.disturbance.At = v1alpha1.TrialPoint{Resource: "children", Name: "demo"}
		r.afterAt, r.restarted = began.Add(tc.operation), began.Add(tc.restarted)
		claims := claimed([]version{
			status(t, "10", time.Second, "{observedGeneration: 2, phase: Running}"),
			status(t, "31", 5*time.Second, "{observedGeneration: 2, phase: Deploying}"),
			status(t, "41", 6*time.Second, "{observedGeneration: 2, phase: Running}"),
		})
		got := r.tooEarly(claims[0], map[string][]version{"children demo": {child(t, "5", 0, "a", 1), child(t, "30", 5*time.Second, "b", 1)}})
		if (got != "") != tc.want {
			t.Errorf("%s: %q, want %t", name, got, tc.want)
		}
	}
}

func TestStatusThatSaysTooEarly(t *testing.T) {
	const (
		running   = "{observedGeneration: 2, phase: Running}"
		deploying = "{observedGeneration: 2, phase: Deploying}"
		before    = "{observedGeneration: 1, phase: Running}"
		own       = "{observedGeneration: 2, conditions: [{type: Ready, status: 'True', observedGeneration: 1}]}"
		unready   = "{observedGeneration: 2, conditions: [{type: Ready, status: 'False', observedGeneration: 2}]}"
		ready     = "{observedGeneration: 2, conditions: [{type: Ready, status: 'True', observedGeneration: 2}]}"
	)
	child1, child2 := child(t, "5", 0, "a", 1), child(t, "20", 4*time.Second, "b", 1)
	for name, tc := range map[string]struct {
		statuses []version
		want     string
	}{
		"it was taken back after the touch": {
			[]version{status(t, "10", time.Second, running), status(t, "21", 20*time.Second, deploying), status(t, "30", 21*time.Second, running)}, "",
		},
		"it was said before the child was written, and taken back": {
			[]version{status(t, "10", time.Second, running), status(t, "21", 4*time.Second, deploying), status(t, "30", 5*time.Second, running)},
			"phase Running said of generation 2 for 3s, while children demo was not yet written",
		},
		"only for a moment": {
			[]version{status(t, "10", 3500*time.Millisecond, running), status(t, "21", 4*time.Second, deploying), status(t, "30", 5*time.Second, running)}, "",
		},
		"it was never taken back, so it means something else": {[]version{status(t, "10", time.Second, running)}, ""},
		"it names the generation before": {
			[]version{status(t, "10", time.Second, before), status(t, "21", 4*time.Second, deploying), status(t, "30", 5*time.Second, running)}, "",
		},
		"it was said afterwards": {
			[]version{status(t, "21", 4*time.Second, running), status(t, "22", 6*time.Second, deploying), status(t, "30", 9*time.Second, running)}, "",
		},
		"the condition speaks of the generation before": {
			[]version{status(t, "10", time.Second, own), status(t, "21", 4*time.Second, unready), status(t, "30", 5*time.Second, ready)}, "",
		},
		"a condition": {
			[]version{status(t, "10", time.Second, ready), status(t, "21", 4*time.Second, unready), status(t, "30", 5*time.Second, ready)},
			"condition Ready said of generation 2 for 3s",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := &run{disturbance: &disturbance{}, touched: moment{at: began.Add(20 * time.Second)}}
			r.disturbance.At = v1alpha1.TrialPoint{Resource: "children", Name: "demo"}
			got := ""
			for _, c := range claimed(tc.statuses) {
				got += r.tooEarly(c, map[string][]version{"children demo": {child1, child2}})
			}
			if got != tc.want && (tc.want == "" || !strings.Contains(got, tc.want)) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestReadyBeforeAnyPod(t *testing.T) {
	ready := status(t, "10", 0, "{conditions: [{type: Available, status: 'True', observedGeneration: 2}]}")
	for name, tc := range map[string]struct {
		children []version
		want     string
	}{
		"before":                {[]version{child(t, "5", 0, "a", 0), child(t, "20", 0, "a", 1)}, "condition Available of generation 2, before a Pod of children demo was ready"},
		"after":                 {[]version{child(t, "5", 0, "a", 1), child(t, "20", 0, "a", 1)}, ""},
		"it was ready once":     {[]version{child(t, "5", 0, "a", 1), child(t, "7", 0, "a", 0), child(t, "20", 0, "a", 1)}, ""},
		"it never gets ready":   {[]version{child(t, "5", 0, "a", 0)}, ""},
		"it is somebody else's": {[]version{versionOf(t, "children", "20", 0, "status: {readyReplicas: 1}")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			claims := claimed([]version{ready})
			if len(claims) != 1 {
				t.Fatalf("claims: %v", claims)
			}
			versions := map[string][]version{"children demo": tc.children}
			got := neverReady(claims[0], "apps demo", versions)
			if got != tc.want && (tc.want == "" || !strings.Contains(got, tc.want)) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
			versions["caches demo"] = []version{child(t, "5", 0, "a", 1)}
			if got := neverReady(claims[0], "apps demo", versions); got != "" {
				t.Errorf("with another child that was ready: %q", got)
			}
		})
	}
}

func TestEventThatNobodySees(t *testing.T) {
	versions := map[string][]version{"apps demo": {versionOf(t, "apps", "1", 0, "kind: App\nmetadata: {uid: one}"), versionOf(t, "apps", "9", 0, "kind: App\nmetadata: {uid: two}")}}
	for name, tc := range map[string]struct{ about, want string }{
		"it names the object":      {"{kind: App, name: demo, uid: two}", ""},
		"the one before":           {"{kind: App, name: demo, uid: one}", ""},
		"none":                     {"{kind: App, name: demo}", "apps demo"},
		"one that was never there": {"{kind: App, name: demo, uid: three}", "apps demo"},
		"another object":           {"{kind: Other, name: demo, uid: three}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			event := versionOf(t, "events", "1", 0, "reason: Created\ninvolvedObject: "+tc.about)
			if got := unseen(*event.Unstructured, versions); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
