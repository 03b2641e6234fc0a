package disruption

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/record/history"
)

func TestLeaderIsToldToEndJustAfterARenewal(t *testing.T) {
	const renewing = -1
	for name, tc := range map[string]struct {
		action  v1alpha1.DisruptionAction
		renewed time.Duration // ago; renewing: it does so now
		by      string
		age     time.Duration // of the Disruption
		fault   string        // that hit the renewal
		want    bool
	}{
		"just after":          {v1alpha1.ActionTerminate, 100 * time.Millisecond, "subject-0", 0, "", false},
		"the next is due":     {v1alpha1.ActionTerminate, time.Second, "subject-0", 0, "", true},
		"an interrupt":        {v1alpha1.ActionInterrupt, time.Second, "subject-0", 0, "", true},
		"a kill":              {v1alpha1.ActionKill, time.Second, "subject-0", 0, "", false},
		"under way":           {v1alpha1.ActionTerminate, renewing, "subject-0", 0, "", true},
		"held by a Fault":     {v1alpha1.ActionTerminate, renewing, "subject-0", 0, "silence", false},
		"under way for ever":  {v1alpha1.ActionTerminate, renewing, "subject-0", 11 * time.Second, "", false},
		"a leader no more":    {v1alpha1.ActionTerminate, 6 * time.Second, "subject-0", 0, "", false},
		"another is the lead": {v1alpha1.ActionTerminate, time.Second, "subject-1", 0, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := &Controller{Recorder: history.New(nil, nil)}
				renewal := c.Recorder.Begin(history.Request{
					Scenario: namespace, Subject: "subject", Replica: tc.by, Verb: history.VerbUpdate,
					Group: "coordination.k8s.io", Resource: "leases", Name: "leader", Fault: tc.fault,
				})
				if tc.renewed != renewing {
					renewal.Finish(func(r *history.Request) { r.Code = 200 })
					time.Sleep(tc.renewed)
				}
				d := &v1alpha1.Disruption{
					ObjectMeta: metav1.ObjectMeta{Namespace: namespace},
					Spec:       v1alpha1.DisruptionSpec{Action: tc.action},
				}
				if got := c.awaitsRenewal(d, []string{"subject-0"}, time.Now().Add(-tc.age), time.Now()); got != tc.want {
					t.Errorf("it waits: %t, want %t", got, tc.want)
				}
			})
		})
	}
}

func TestRequestIsInterrupted(t *testing.T) {
	writes := &v1alpha1.RequestMatch{Verbs: []string{history.VerbCreate}, Names: []string{"demo"}}
	for name, tc := range map[string]struct {
		while    *v1alpha1.RequestMatch
		answered bool
		name     string
		want     string
	}{
		"it is open":      {writes, false, "demo", "Terminate subject-0"},
		"it was answered": {writes, true, "demo", ""},
		"another is open": {writes, false, "other", ""},
		"none need be":    {nil, true, "demo", "Terminate subject-0"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &processes{subject: &subject.Running{Replicas: []string{"subject-0"}}}
			d := &v1alpha1.Disruption{Spec: v1alpha1.DisruptionSpec{Action: v1alpha1.ActionTerminate, While: tc.while}}
			c := serve(t, p, d)
			write := c.Recorder.Begin(history.Request{
				Scenario: namespace, Subject: "subject", Replica: "subject-0", Verb: history.VerbCreate,
				Group: "apps", Resource: "deployments", Name: tc.name,
			})
			if tc.answered {
				write.Finish(func(r *history.Request) { r.Code = 201 })
			}
			status, next := advance(t, c, d)
			if done := strings.Join(p.done, ", "); done != tc.want {
				t.Errorf("done: %q, want %q", done, tc.want)
			}
			if tc.want != "" {
				return
			}
			if status.Phase != v1alpha1.DisruptionPending || next == 0 {
				t.Errorf("status: %+v, looked at again after %s", status, next)
			}
			c.Recorder.Begin(history.Request{
				Scenario: namespace, Subject: "subject", Replica: "subject-0", Verb: history.VerbCreate,
				Group: "apps", Resource: "deployments", Name: "demo",
			})
			advance(t, c, d)
			if done := strings.Join(p.done, ", "); done != "Terminate subject-0" {
				t.Errorf("done once a request is open: %q", done)
			}
		})
	}
}

// TestNoRequestComes: a Disruption does not wait for ever for the request that it
// should interrupt.
func TestNoRequestComes(t *testing.T) {
	p := &processes{subject: &subject.Running{Replicas: []string{"subject-0"}}}
	d := &v1alpha1.Disruption{Spec: v1alpha1.DisruptionSpec{
		Action: v1alpha1.ActionTerminate, While: &v1alpha1.RequestMatch{Verbs: []string{history.VerbCreate}},
	}}
	c := serve(t, p, d)
	c.begun = map[types.UID]time.Time{d.UID: time.Now().Add(-giveUp)}
	status, next := advance(t, c, d)
	if status.Verdict != v1alpha1.JudgementInvalid || next != 0 || len(p.done) > 0 || !strings.HasPrefix(events(c), history.DisruptionFailed) {
		t.Errorf("status: %+v, looked at again after %s, done: %v, events: %s", status, next, p.done, events(c))
	}
}
