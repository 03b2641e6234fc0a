package traffic

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// TestJobsEndBeforeRest: what the subject writes when a Job of its own ends does not count as a
// write at rest. A Job that does not end is not waited for without end.
func TestJobsEndBeforeRest(t *testing.T) {
	none := &v1alpha1.TrafficExpectation{Effective: &v1alpha1.NumberBound{Max: ptr.To[int64](0)}, SubjectQuiet: true}
	for name, tc := range map[string]struct {
		group  string // of the Job that the subject made
		ends   time.Duration
		expect *v1alpha1.TrafficExpectation
		opens  time.Duration // at the earliest, after its creation
		want   v1alpha1.Judgement
	}{
		"a Job that ends late":        {"batch", 6 * time.Second, none, 6 * time.Second, v1alpha1.JudgementMet},
		"a Job that ends at once":     {"batch", 0, none, 0, v1alpha1.JudgementMet},
		"a Job that does not end":     {"batch", time.Hour, none, 8 * time.Second, v1alpha1.JudgementMet},
		"what only has that name":     {"example.com", 6 * time.Second, none, 0, v1alpha1.JudgementNotMet},
		"nothing is expected of rest": {"batch", 6 * time.Second, nil, 0, v1alpha1.JudgementMet},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, began := newController(), time.Now()
				c.JobRuns = func(context.Context, string) (bool, error) { return time.Since(began) < tc.ends, nil }
				c.Recorder.Begin(history.Request{
					Scenario: namespace, Subject: "subject", Replica: "subject-0", Verb: history.VerbCreate, Group: tc.group, Resource: "jobs", Name: "first",
				}).Finish(func(r *history.Request) { r.Code, r.Effect = 201, history.EffectEffective })
				traffic := trafficOf("writes", 10*time.Second, nil)
				traffic.Spec.Start, traffic.Spec.Expect = v1alpha1.StartQuiet, tc.expect
				traffic.Spec.QuietWithin.Plus.Duration = 10 * time.Second
				if err := c.Admit(t.Context(), traffic); err != nil {
					t.Fatal(err)
				}
				if tc.ends < time.Minute {
					go func() {
						time.Sleep(tc.ends + time.Second)
						send(c.Recorder, history.VerbUpdate, "backups", history.EffectEffective)
					}()
				}
				c.until(t, traffic)
				if traffic.Status.Verdict != tc.want {
					t.Errorf("%+v, want %s", traffic.Status, tc.want)
				}
				if took := time.Since(began); took < tc.opens+10*time.Second {
					t.Errorf("judged after %s, and must not begin before %s", took, tc.opens)
				}
			})
		})
	}
}
