package disruption

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/profile/expectation"
)

func TestBadEnd(t *testing.T) {
	for name, tc := range map[string]struct {
		action v1alpha1.DisruptionAction
		exit   *v1alpha1.Exit
		want   string
	}{
		"status 0":             {v1alpha1.ActionTerminate, &v1alpha1.Exit{TookMs: 5000}, ""},
		"by the signal":        {v1alpha1.ActionTerminate, &v1alpha1.Exit{Code: 143, Signal: "SIGTERM"}, ""},
		"as shells say it":     {v1alpha1.ActionTerminate, &v1alpha1.Exit{Code: 143}, ""},
		"a restart":            {v1alpha1.ActionRestart, &v1alpha1.Exit{Code: 143, Signal: "SIGTERM"}, ""},
		"interrupted":          {v1alpha1.ActionInterrupt, &v1alpha1.Exit{Code: 130, Signal: "SIGINT"}, ""},
		"interrupted, 143":     {v1alpha1.ActionInterrupt, &v1alpha1.Exit{Code: 143, Signal: "SIGTERM"}, "ended with status 143 SIGTERM; expected: 0, 130 or SIGINT"},
		"terminated, 130":      {v1alpha1.ActionTerminate, &v1alpha1.Exit{Code: 130}, "ended with status 130; expected: 0, 143 or SIGTERM"},
		"an error":             {v1alpha1.ActionTerminate, &v1alpha1.Exit{Code: 1}, "ended with status 1; expected: 0, 143 or SIGTERM"},
		"another signal":       {v1alpha1.ActionTerminate, &v1alpha1.Exit{Code: 139, Signal: "SIGSEGV"}, "ended with status 139 SIGSEGV; expected: 0, 143 or SIGTERM"},
		"a panic":              {v1alpha1.ActionTerminate, &v1alpha1.Exit{Code: 2, Panic: true}, "ended in a panic, with status 2"},
		"too late":             {v1alpha1.ActionTerminate, &v1alpha1.Exit{TookMs: 5001}, "took 5.001s to end; expected: within 5s"},
		"too late, with error": {v1alpha1.ActionTerminate, &v1alpha1.Exit{Code: 1, TookMs: 6000}, "ended with status 1; expected: 0, 143 or SIGTERM"},
		"killed":               {v1alpha1.ActionTerminate, &v1alpha1.Exit{Code: 137, Signal: "SIGKILL", TookMs: 9000}, "had not ended after 9s, and was killed; expected: within 5s"},
		"not running":          {v1alpha1.ActionTerminate, nil, "did not run"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := badEnd(tc.action, tc.exit, 5*time.Second); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestEndThatIsExpected(t *testing.T) {
	within := &v1alpha1.EndExpectation{Within: v1alpha1.TimeBound{Plus: metav1.Duration{Duration: 5 * time.Second}}}
	ends := func(exits ...v1alpha1.Exit) []v1alpha1.DisruptedReplica {
		var all []v1alpha1.DisruptedReplica
		for i := range exits {
			all = append(all, v1alpha1.DisruptedReplica{Name: "subject-" + string(rune('0'+i)), Exit: &exits[i]})
		}
		return all
	}
	for name, tc := range map[string]struct {
		expect  *v1alpha1.EndExpectation
		status  v1alpha1.DisruptionStatus
		scale   float64
		want    v1alpha1.Judgement
		message string
	}{
		"pending":           {within, v1alpha1.DisruptionStatus{Phase: v1alpha1.DisruptionPending, Message: "no leader"}, 1, v1alpha1.JudgementPending, "no leader"},
		"nothing expected":  {nil, v1alpha1.DisruptionStatus{Phase: v1alpha1.DisruptionDone, Replicas: ends(v1alpha1.Exit{Code: 1})}, 1, v1alpha1.JudgementMet, ""},
		"nothing, not done": {nil, v1alpha1.DisruptionStatus{Phase: v1alpha1.DisruptionFailed, Message: "no leader"}, 1, v1alpha1.JudgementInvalid, "no leader"},
		"not done":          {within, v1alpha1.DisruptionStatus{Phase: v1alpha1.DisruptionFailed, Message: "no replica"}, 1, v1alpha1.JudgementInvalid, "no replica"},
		"in time":           {within, v1alpha1.DisruptionStatus{Phase: v1alpha1.DisruptionDone, Replicas: ends(v1alpha1.Exit{TookMs: 5000})}, 1, v1alpha1.JudgementMet, ""},
		"in time, scaled":   {within, v1alpha1.DisruptionStatus{Phase: v1alpha1.DisruptionDone, Replicas: ends(v1alpha1.Exit{TookMs: 9000})}, 2, v1alpha1.JudgementMet, ""},
		"too late":          {within, v1alpha1.DisruptionStatus{Phase: v1alpha1.DisruptionDone, Replicas: ends(v1alpha1.Exit{TookMs: 9000})}, 1, v1alpha1.JudgementNotMet, "subject-0 took 9s to end; expected: within 5s"},
		"killed": {
			within,
			v1alpha1.DisruptionStatus{Phase: v1alpha1.DisruptionFailed, Message: "it had to be killed", Replicas: ends(v1alpha1.Exit{Code: 137, Signal: "SIGKILL", TookMs: 9000})},
			1, v1alpha1.JudgementNotMet, "subject-0 had not ended after 9s, and was killed; expected: within 5s",
		},
		"both": {
			within,
			v1alpha1.DisruptionStatus{Phase: v1alpha1.DisruptionDone, Replicas: ends(v1alpha1.Exit{Code: 1}, v1alpha1.Exit{Code: 2, Panic: true})},
			1, v1alpha1.JudgementNotMet, "subject-0 ended with status 1; expected: 0, 143 or SIGTERM; subject-1 ended in a panic, with status 2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := &Controller{Times: func(string) expectation.Times { return expectation.Times{Scale: tc.scale} }}
			d := &v1alpha1.Disruption{Spec: v1alpha1.DisruptionSpec{Action: v1alpha1.ActionTerminate, Expect: tc.expect}, Status: tc.status}
			limits, err := c.limits(d)
			if err != nil {
				t.Fatal(err)
			}
			judge(d, limits.expected)
			if d.Status.Verdict != tc.want || d.Status.Message != tc.message {
				t.Errorf("%s: %s\nwant %s: %s", d.Status.Verdict, d.Status.Message, tc.want, tc.message)
			}
		})
	}
}

func TestBoundThatIsNotDeclared(t *testing.T) {
	p := &processes{subject: &subject.Running{Replicas: []string{"subject-0"}}}
	d := &v1alpha1.Disruption{Spec: v1alpha1.DisruptionSpec{Action: v1alpha1.ActionTerminate}}
	c := serve(t, p, d)
	if err := c.Admit(t.Context(), d); err != nil {
		t.Error(err)
	}
	d.Spec.Expect = &v1alpha1.EndExpectation{Within: v1alpha1.TimeBound{LeaseDurations: 1}}
	if err := c.Admit(t.Context(), d); err == nil || !strings.HasPrefix(err.Error(), "computing expect.within: the profile declares no lease timings") {
		t.Errorf("error: %v", err)
	}
	if len(p.done) > 0 {
		t.Errorf("done at the admission: %v", p.done)
	}
}
