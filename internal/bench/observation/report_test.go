package observation

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestReport: a status with another verdict is written at once, and one with other
// counts only now and then, but it is written.
func TestReport(t *testing.T) {
	spec := v1alpha1.ObservationSpec{Resource: "webapps", Never: running}
	j, c := newTestJudge(t, spec), &Controller{}
	observation := &v1alpha1.Observation{Spec: spec}
	for number, step := range []struct {
		after time.Duration
		phase string // of the version that comes then; empty: none comes
		want  v1alpha1.Judgement
		count int64 // in the status
		next  time.Duration
	}{
		{0, "", v1alpha1.JudgementMet, 0, 0},
		{time.Second, "Starting", v1alpha1.JudgementMet, 1, 0},
		{1100 * time.Millisecond, "Starting", v1alpha1.JudgementMet, 1, 400 * time.Millisecond},
		{1200 * time.Millisecond, "Starting", v1alpha1.JudgementMet, 1, 300 * time.Millisecond},
		{1500 * time.Millisecond, "", v1alpha1.JudgementMet, 3, 0},
		{1501 * time.Millisecond, "", v1alpha1.JudgementMet, 3, 0},
		{3 * time.Second, "Starting", v1alpha1.JudgementMet, 4, 0},
		{3100 * time.Millisecond, "Starting", v1alpha1.JudgementMet, 4, 400 * time.Millisecond},
		{3200 * time.Millisecond, "Running", v1alpha1.JudgementNotMet, 6, 0},
	} {
		now := began.Add(step.after)
		if step.phase != "" {
			j.version(seen{name: "demo", phase: step.phase}.version(number), watch.Modified, now)
		}
		next := c.report(observation, j, now)
		if status := observation.Status; status.Verdict != step.want || status.Versions != step.count || next != step.next {
			t.Errorf("after %s: %s, %d versions, again in %s; want %s, %d, %s", step.after, status.Verdict, status.Versions, next, step.want, step.count, step.next)
		}
	}
}

// TestReportOfWhatIsWaitedFor: what came is told at once, and so is that the time is
// over, also if a version came just before.
func TestReportOfWhatIsWaitedFor(t *testing.T) {
	spec := v1alpha1.ObservationSpec{Resource: "webapps", Eventually: running}
	for name, tc := range map[string]struct {
		phase string
		late  time.Duration
		want  v1alpha1.Judgement
	}{
		"it came":    {"Running", 0, v1alpha1.JudgementMet},
		"it did not": {"Starting", 2 * defaultWithin, v1alpha1.JudgementNotMet},
	} {
		t.Run(name, func(t *testing.T) {
			j, c := newTestJudge(t, spec), &Controller{}
			observation := &v1alpha1.Observation{Spec: spec}
			now := began.Add(tc.late)
			j.version(seen{name: "demo", phase: "Starting"}.version(0), watch.Modified, now)
			if c.report(observation, j, now); observation.Status.Versions != 1 {
				t.Fatalf("the first version was not told: %+v", observation.Status)
			}
			now = now.Add(2 * time.Millisecond)
			j.version(seen{name: "demo", phase: tc.phase}.version(1), watch.Modified, now)
			if c.report(observation, j, now); observation.Status.Verdict != tc.want {
				t.Errorf("status %+v, want %s", observation.Status, tc.want)
			}
		})
	}
}
