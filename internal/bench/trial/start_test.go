package trial

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// TestUnsaid: a new process must not take back in a status what it says again at the end.
func TestUnsaid(t *testing.T) {
	const (
		done    = "{phase: Running, observedGeneration: 2, conditions: [{type: Available, status: 'True'}]}"
		not     = "{phase: Pending, observedGeneration: 2, conditions: [{type: Available, status: 'False'}]}"
		plain   = "{conditions: [{type: Ready, status: 'True'}]}"
		unknown = "{conditions: [{type: Ready, status: Unknown}]}"
		other   = "{conditions: [{type: Synced, status: 'True'}]}"
	)
	restart := 10 * time.Second
	for name, tc := range map[string]struct {
		before, after []string
		want          string
	}{
		"it stays":                           {before: []string{not, done}, after: []string{done, done}},
		"nothing is written":                 {before: []string{done}},
		"it was not known before":            {after: []string{not, done}},
		"the phase and the condition":        {before: []string{done}, after: []string{not, done}, want: "it said phase Running before and says it now, and for a while it did not"},
		"a condition without a generation":   {before: []string{plain}, after: []string{unknown, plain}, want: "it said condition Ready before and says it now, and for a while it did not"},
		"the status is emptied":              {before: []string{plain}, after: []string{"{}", plain}, want: "it said condition Ready before and says it now, and for a while it did not"},
		"it stays taken back":                {before: []string{done}, after: []string{not}}, // the outcome differs
		"it was on its way":                  {before: []string{done, not}, after: []string{done}},
		"a condition that may mean anything": {before: []string{other}, after: []string{"{}", other}},
	} {
		t.Run(name, func(t *testing.T) {
			var versions []version
			for i, text := range tc.before {
				versions = append(versions, status(t, "1"+string(rune('0'+i)), time.Duration(i)*time.Second, text))
			}
			for i, text := range tc.after {
				versions = append(versions, status(t, "2"+string(rune('0'+i)), restart+time.Duration(i+1)*time.Second, text))
			}
			if got := unsaid(versions, began.Add(restart)); got != tc.want {
				t.Errorf("found %q, want %q", got, tc.want)
			}
		})
	}
}

// What is another object, or another generation, takes nothing back.
func TestUnsaidOfAnother(t *testing.T) {
	said := status(t, "10", 0, "{phase: Running}")
	changed := status(t, "11", 2*time.Second, "{phase: Pending}")
	again := status(t, "12", 3*time.Second, "{phase: Running}")
	if unsaid([]version{said, changed, again}, began.Add(time.Second)) == "" {
		t.Fatal("nothing was found of one object and one generation")
	}
	for name, change := range map[string]func(*version){
		"another generation": func(v *version) { v.SetGeneration(1) },
		"another object":     func(v *version) { v.SetUID("before") },
		"it was gone":        func(v *version) { v.gone = true },
	} {
		before := version{said.resource, said.DeepCopy(), said.seen, false}
		change(&before)
		if found := unsaid([]version{before, changed, again}, began.Add(time.Second)); found != "" {
			t.Errorf("%s: %s", name, found)
		}
	}
}

// What comes after the touch is not taken back by a new process.
func TestUnsaidUntilTheTouch(t *testing.T) {
	versions := []version{
		status(t, "10", 0, "{phase: Running}"), status(t, "11", 5*time.Second, "{phase: Pending}"), status(t, "12", 6*time.Second, "{phase: Running}"),
	}
	for name, tc := range map[string]struct {
		touched moment
		want    bool
	}{
		"it was never touched": {want: true},
		"after all":            {touched: moment{at: began.Add(7 * time.Second)}, want: true},
		"before":               {touched: moment{at: began.Add(5 * time.Second)}},
	} {
		if got := unsaid(tc.touched.until(versions), began.Add(time.Second)) != ""; got != tc.want {
			t.Errorf("%s: told: %t, want %t", name, got, tc.want)
		}
	}
}

// TestBlindHarm: a new process that tries to create a child that is there is told; of a recording, each
// such creation is.
func TestBlindHarm(t *testing.T) {
	owned := &unstructured.Unstructured{}
	owned.SetName("demo")
	owned.SetOwnerReferences([]metav1.OwnerReference{{UID: "own", Controller: ptr.To(true)}})
	child := version{resource: "services", Unstructured: owned}
	foreign := version{resource: "services", Unstructured: &unstructured.Unstructured{}}
	gone := child
	gone.gone = true
	refused := history.Request{Seq: 5, Verb: history.VerbCreate, Resource: "services", Name: "demo", Code: 409, Reason: "AlreadyExists"}
	with := func(change func(*history.Request)) history.Request {
		q := refused
		change(&q)
		return q
	}
	restart, edit := operation{TrialOperation: v1alpha1.TrialOperation{Restart: &v1alpha1.Empty{}}}, operation{TrialOperation: v1alpha1.TrialOperation{Patch: &v1alpha1.TrialPatch{}}}
	for name, tc := range map[string]struct {
		last     operation
		records  bool
		disturb  *disturbance
		child    version
		requests []history.Request
		want     int
	}{
		"a new process":         {last: restart, child: child, requests: []history.Request{refused, refused}, want: 1},
		"before the restart":    {last: restart, child: child, requests: []history.Request{with(func(q *history.Request) { q.Seq = 2 })}},
		"after the touch":       {last: restart, child: child, requests: []history.Request{with(func(q *history.Request) { q.Seq = 9 })}},
		"after an edit":         {last: edit, child: child, requests: []history.Request{refused}},
		"a recorded edit":       {last: edit, records: true, child: child, requests: []history.Request{refused}, want: 1},
		"before, as recorded":   {last: restart, records: true, child: child, requests: []history.Request{with(func(q *history.Request) { q.Seq = 2 })}, want: 1},
		"a write is disturbed":  {last: restart, disturb: &disturbance{}, child: child, requests: []history.Request{refused}},
		"a Fault said so":       {last: restart, child: child, requests: []history.Request{with(func(q *history.Request) { q.Fault = "x" })}},
		"a bystander is there":  {last: restart, child: child, requests: []history.Request{with(func(q *history.Request) { q.Bystander = true })}},
		"it was made":           {last: restart, child: child, requests: []history.Request{with(func(q *history.Request) { q.Code, q.Reason = 201, "" })}},
		"it is of nobody":       {last: restart, child: foreign, requests: []history.Request{refused}},
		"it is gone at the end": {last: restart, child: gone, requests: []history.Request{refused}},
	} {
		r := &run{
			operations: []operation{{}, tc.last}, disturbance: tc.disturb, after: 3, touched: moment{began, 8}, living: map[types.UID]bool{"own": true},
			versions: map[string][]version{"services demo": {tc.child}},
		}
		if !tc.records {
			r.spec.Undisturbed = &v1alpha1.TrialUndisturbed{}
		}
		got := r.blindHarm(history.Account{Requests: tc.requests})
		if len(got) != tc.want || tc.want > 0 && (got[0].Path != HarmBlind || got[0].Object != "services demo") {
			t.Errorf("%s: %+v, want %d", name, got, tc.want)
		}
	}
}
