package traffic

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// TestWithoutDue: if a write failed by chance before the window, and was not sent again, its
// first repetition in the window does not count. All other writes count.
func TestWithoutDue(t *testing.T) {
	const conflict, exists = string(metav1.StatusReasonConflict), string(metav1.StatusReasonAlreadyExists)
	status := func(code int, reason, fault string) history.Request {
		r := history.Request{Verb: history.VerbUpdate, Resource: "webapps", Subresource: "status", Name: "demo", Code: code, Reason: reason, Fault: fault}
		r.Finished, r.Effect = true, history.EffectRefused
		if code == 200 {
			r.Effect = history.EffectEffective
		}
		return r
	}
	ok := status(200, "", "")
	spec := ok
	spec.Subresource = ""
	other := ok
	other.Name = "other"
	created := ok
	created.Verb = history.VerbCreate
	for name, tc := range map[string]struct {
		before, window []history.Request
		want           int // writes that count
	}{
		"none was due":                {[]history.Request{ok}, []history.Request{ok}, 1},
		"one in conflict":             {[]history.Request{status(409, conflict, "")}, []history.Request{ok}, 0},
		"one that was not served":     {[]history.Request{status(503, "", "")}, []history.Request{ok}, 0},
		"the next one counts":         {[]history.Request{status(409, conflict, "")}, []history.Request{ok, ok}, 1},
		"sent again before":           {[]history.Request{status(409, conflict, ""), ok}, []history.Request{ok}, 1},
		"in conflict once more":       {[]history.Request{status(409, conflict, "")}, []history.Request{status(409, conflict, ""), ok}, 0},
		"of another object":           {[]history.Request{status(409, conflict, "")}, []history.Request{other}, 1},
		"another write of the object": {[]history.Request{status(409, conflict, "")}, []history.Request{spec}, 1},
		"a create after the update":   {[]history.Request{status(409, conflict, "")}, []history.Request{created}, 0},
		"one that a rule refuses":     {[]history.Request{status(403, "", "")}, []history.Request{ok}, 1},
		"one that exists already":     {[]history.Request{status(409, exists, "")}, []history.Request{ok}, 1},
		"one that a Fault refuses":    {[]history.Request{status(409, conflict, "f")}, []history.Request{ok}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			all := append(append([]history.Request{}, tc.before...), tc.window...)
			for n := range all {
				all[n].Seq = int64(n + 1)
			}
			window := all[len(tc.before):]
			effective := 0
			for _, r := range withoutDue(window, all, int64(len(tc.before))) {
				if r.Effect == history.EffectEffective {
					effective++
				}
			}
			if effective != tc.want || len(window) != len(tc.window) {
				t.Errorf("%d effective writes count, want %d", effective, tc.want)
			}
		})
	}
}

// TestJudgeWithoutDue: if a number is too high only because of a write that was due, it is as
// expected.
func TestJudgeWithoutDue(t *testing.T) {
	for name, tc := range map[string]struct {
		without *v1alpha1.TrafficStatus
		want    v1alpha1.Judgement
	}{
		"nothing was due":  {nil, v1alpha1.JudgementNotMet},
		"it was due":       {&v1alpha1.TrafficStatus{}, v1alpha1.JudgementMet},
		"another one, too": {&v1alpha1.TrafficStatus{Requests: 1, Effective: 1}, v1alpha1.JudgementNotMet},
		"without a bound":  {&v1alpha1.TrafficStatus{Requests: 2}, v1alpha1.JudgementMet},
	} {
		t.Run(name, func(t *testing.T) {
			c := &Controller{Recorder: history.New(nil, nil)}
			m := &measurement{
				spec:       v1alpha1.TrafficSpec{Expect: &v1alpha1.TrafficExpectation{Effective: &v1alpha1.NumberBound{Max: ptr.To[int64](0)}}},
				withoutDue: tc.without,
			}
			status := v1alpha1.TrafficStatus{Requests: 3, Effective: 2}
			c.judge(&v1alpha1.Traffic{}, m, &status, limits{})
			if status.Verdict != tc.want {
				t.Errorf("%s: %s, want %s", status.Verdict, status.Message, tc.want)
			}
		})
	}
}
