package disruption

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/expectation"
)

func TestProcessMayTakeTheExpectedTime(t *testing.T) {
	expect := func(d time.Duration) *v1alpha1.EndExpectation {
		return &v1alpha1.EndExpectation{Within: v1alpha1.TimeBound{Plus: metav1.Duration{Duration: d}}}
	}
	for name, tc := range map[string]struct {
		spec v1alpha1.DisruptionSpec
		want limits
	}{
		"nothing is expected": {v1alpha1.DisruptionSpec{}, limits{6 * time.Minute, 0, 50 * time.Second}},
		"less is expected":    {v1alpha1.DisruptionSpec{Expect: expect(10 * time.Second)}, limits{6 * time.Minute, 20 * time.Second, 50 * time.Second}},
		"more is expected":    {v1alpha1.DisruptionSpec{Expect: expect(45 * time.Second)}, limits{6 * time.Minute, 90 * time.Second, 90 * time.Second}},
		"it is given":         {v1alpha1.DisruptionSpec{Expect: expect(45 * time.Second), WithinMs: ptr.To[int64](5000)}, limits{6 * time.Minute, 90 * time.Second, 5 * time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			times := expectation.Times{Scale: 2}
			times.Claims.Times.ShutdownGrace.Duration = 10 * time.Second
			c := &Controller{Times: func(string) expectation.Times { return times }}
			if got, err := c.limits(&v1alpha1.Disruption{Spec: tc.spec}); err != nil || got != tc.want {
				t.Errorf("got %+v, %v; want %+v", got, err, tc.want)
			}
		})
	}
}

func TestAnyStatus(t *testing.T) {
	for name, tc := range map[string]struct {
		exit v1alpha1.Exit
		any  bool
		bad  bool
	}{
		"an error":                {v1alpha1.Exit{Code: 1}, false, true},
		"an error, any will do":   {v1alpha1.Exit{Code: 1}, true, false},
		"a panic, any will do":    {v1alpha1.Exit{Code: 2, Panic: true}, true, true},
		"too late, any will do":   {v1alpha1.Exit{Code: 1, TookMs: 2000}, true, true},
		"not ended, any will do":  {v1alpha1.Exit{Code: 137, Signal: "SIGKILL", TookMs: 2000}, true, true},
		"the signal, any will do": {v1alpha1.Exit{Code: 143, Signal: "SIGTERM"}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			d := &v1alpha1.Disruption{Spec: v1alpha1.DisruptionSpec{Action: v1alpha1.ActionTerminate, Expect: &v1alpha1.EndExpectation{AnyStatus: tc.any}}}
			d.Status.Phase, d.Status.Replicas = v1alpha1.DisruptionDone, []v1alpha1.DisruptedReplica{{Name: "subject-0", Exit: &tc.exit}}
			judge(d, time.Second)
			if (d.Status.Verdict == v1alpha1.JudgementNotMet) != tc.bad {
				t.Errorf("status: %+v", d.Status)
			}
		})
	}
}
