package disruption

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/profile/expectation"
	"reconform.dev/reconform/internal/record/history"
)

const namespace = "lf-001"

// processes notes what is done to them.
type processes struct {
	subject *subject.Running
	done    []string
	within  time.Duration
	err     error
}

func (p *processes) Running(string) *subject.Running { return p.subject }

func (p *processes) Disrupt(
	_ context.Context, _, replica string, action v1alpha1.DisruptionAction, within time.Duration,
) (*v1alpha1.Exit, error) {
	p.done = append(p.done, string(action)+" "+replica)
	p.within = within
	return &v1alpha1.Exit{Code: 137, Signal: "SIGKILL", TookMs: 12}, p.err
}

// serve has a controller of a Disruption.
func serve(t *testing.T, p *processes, d *v1alpha1.Disruption) *Controller {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	d.Namespace, d.Name, d.UID, d.CreationTimestamp = namespace, "do-it", "u", metav1.Now()
	times := expectation.Times{}
	times.Claims.Times.ShutdownGrace.Duration = 45 * time.Second
	return &Controller{
		Reader: fake.NewClientBuilder().WithScheme(scheme).WithObjects(d).Build(), Recorder: history.New(nil, nil), Processes: p,
		Times: func(string) expectation.Times { return times },
	}
}

// advance looks at the object as it is, and returns the status that is to be written.
func advance(t *testing.T, c *Controller, d *v1alpha1.Disruption) (v1alpha1.DisruptionStatus, time.Duration) {
	t.Helper()
	looked := d.DeepCopy()
	next, err := c.Advance(t.Context(), looked)
	if err != nil {
		t.Fatal(err)
	}
	return looked.Status, next
}

func events(c *Controller) string {
	var reasons []string
	for _, e := range c.Recorder.Events(namespace) {
		reasons = append(reasons, e.Reason+" "+e.Object)
	}
	return strings.Join(reasons, ", ")
}

func TestItActsOnce(t *testing.T) {
	p := &processes{subject: &subject.Running{Replicas: []string{"subject-0"}}}
	d := &v1alpha1.Disruption{Spec: v1alpha1.DisruptionSpec{Action: v1alpha1.ActionKill}}
	c := serve(t, p, d)
	var got v1alpha1.DisruptionStatus
	for range 3 { // as often as the status could not be written
		var next time.Duration
		if got, next = advance(t, c, d); next != 0 {
			t.Fatalf("to be looked at again after %s", next)
		}
	}
	d.Status = got // now it stands in the object
	if kept, _ := advance(t, c, d); kept.Phase != v1alpha1.DisruptionDone {
		t.Errorf("status: %+v", kept)
	}
	if diff := cmp.Diff([]string{"Kill subject-0"}, p.done); diff != "" {
		t.Errorf("done (-want +got):\n%s", diff)
	}
	if p.within != time.Minute {
		t.Errorf("within %s", p.within)
	}
	code := int32(137)
	want := v1alpha1.DisruptionStatus{
		Phase: v1alpha1.DisruptionDone, Verdict: v1alpha1.JudgementMet, Replica: "subject-0", ExitCode: &code, Signal: "SIGKILL", TookMs: 12,
		Replicas: []v1alpha1.DisruptedReplica{{Name: "subject-0", Exit: &v1alpha1.Exit{Code: 137, Signal: "SIGKILL", TookMs: 12}}},
	}
	got.ResourceVersion = ""
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	if got := events(c); got != "DisruptionDone Disruption/do-it" {
		t.Errorf("events: %s", got)
	}
	if len(c.ended) > 0 {
		t.Error("a result is kept that stands in its object")
	}
}

func TestItWaitsForALeader(t *testing.T) {
	p := &processes{}
	within := int64(300)
	d := &v1alpha1.Disruption{Spec: v1alpha1.DisruptionSpec{Action: v1alpha1.ActionTerminate, Target: v1alpha1.TargetLeader, WithinMs: &within}}
	c := serve(t, p, d)
	two := []string{"subject-0", "subject-1"}
	for _, step := range []struct {
		subject *subject.Running
		phase   v1alpha1.DisruptionPhase
		message string
	}{
		{nil, v1alpha1.DisruptionPending, "there is no Subject in this namespace"},
		{&subject.Running{Replicas: two}, v1alpha1.DisruptionPending, "the subject has no leader"},
		{&subject.Running{Replicas: two, Leader: "subject-1"}, v1alpha1.DisruptionDone, ""},
	} {
		p.subject = step.subject
		verdict := v1alpha1.JudgementPending
		if step.phase == v1alpha1.DisruptionDone {
			verdict = v1alpha1.JudgementMet
		}
		got, next := advance(t, c, d)
		if waits := next > 0; waits != (step.phase == v1alpha1.DisruptionPending) {
			t.Errorf("%+v: looked at again after %s", step, next)
		}
		if got.Phase != step.phase || got.Message != step.message || got.Verdict != verdict {
			t.Errorf("%+v: %+v", step, got)
		}
	}
	if diff := cmp.Diff([]string{"Terminate subject-1"}, p.done); diff != "" || p.within != 300*time.Millisecond {
		t.Errorf("done within %s (-want +got):\n%s", p.within, diff)
	}
}

// TestTimeThatIsNotDeclared: a Disruption that needs a time which the profile does not
// declare fails with the reason. Usually the admission refuses it before.
func TestTimeThatIsNotDeclared(t *testing.T) {
	p := &processes{subject: &subject.Running{Replicas: []string{"subject-0"}}}
	d := &v1alpha1.Disruption{Spec: v1alpha1.DisruptionSpec{
		Action: v1alpha1.ActionTerminate, Expect: &v1alpha1.EndExpectation{Within: v1alpha1.TimeBound{RetryPeriods: 1}},
	}}
	c := serve(t, p, d)
	advance(t, c, d)
	got, next := advance(t, c, d) // as if the status could not be written
	if got.Phase != v1alpha1.DisruptionFailed || got.Verdict != v1alpha1.JudgementInvalid || next != 0 ||
		!strings.HasPrefix(got.Message, "computing expect.within: ") {
		t.Errorf("status: %+v", got)
	}
	if len(p.done) > 0 || events(c) != "DisruptionFailed Disruption/do-it" {
		t.Errorf("done: %v; events: %s", p.done, events(c))
	}
}

func TestItWaitsNoLongerThanItsTime(t *testing.T) {
	for name, tc := range map[string]struct {
		scale  float64
		age    time.Duration
		behind time.Duration // the clock of the API server
		failed bool
	}{
		"in time":               {1, 2 * time.Minute, 0, false},
		"too long":              {1, 4 * time.Minute, 0, true},
		"in time, scaled":       {4, 11 * time.Minute, 0, false},
		"too long, scaled":      {4, 13 * time.Minute, 0, true},
		"too long, scaled down": {0.5, 2 * time.Minute, 0, true},
		"a clock that is slow":  {1, 2 * time.Minute, time.Hour, false},
		"a clock that is fast":  {1, 4 * time.Minute, -time.Hour, true},
	} {
		t.Run(name, func(t *testing.T) {
			d := &v1alpha1.Disruption{Spec: v1alpha1.DisruptionSpec{Action: v1alpha1.ActionKill}}
			c := serve(t, &processes{}, d)
			c.Times = func(string) expectation.Times { return expectation.Times{Scale: tc.scale} }
			d.CreationTimestamp = metav1.NewTime(time.Now().Add(-tc.age - tc.behind))
			c.begun = map[types.UID]time.Time{d.UID: time.Now().Add(-tc.age)}
			got, _ := advance(t, c, d)
			if (got.Phase == v1alpha1.DisruptionFailed) != tc.failed || got.Message != "there is no Subject in this namespace" {
				t.Errorf("status: %+v", got)
			}
		})
	}
}

func TestItFails(t *testing.T) {
	one := &subject.Running{Replicas: []string{"subject-0"}, Leader: "subject-0"}
	for name, tc := range map[string]struct {
		target  string
		subject *subject.Running
		err     error
		message string
		blamed  bool // the bench
	}{
		"nobody of that name": {"subject-7", one, nil, "the subject has no replica subject-7", true},
		"no standby":          {v1alpha1.TargetStandby, one, nil, "the subject has no standby", true},
		"no replicas":         {v1alpha1.TargetAll, &subject.Running{}, nil, "the subject has no replicas", true},
		"overdue":             {v1alpha1.TargetAll, one, fmt.Errorf("%w: after 1s", subject.ErrOverdue), "it had to be killed: after 1s", false},
		"not running":         {v1alpha1.TargetAll, one, fmt.Errorf("%w: it exited", subject.ErrNotRunning), "it does not run: it exited", false},
		"both":                {v1alpha1.TargetAll, one, errors.Join(subject.ErrOverdue, errors.New("no such file")), "it had to be killed; no such file", true},
	} {
		t.Run(name, func(t *testing.T) {
			p := &processes{subject: tc.subject, err: tc.err}
			d := &v1alpha1.Disruption{Spec: v1alpha1.DisruptionSpec{Action: v1alpha1.ActionRestart, Target: tc.target}}
			c := serve(t, p, d)
			got, _ := advance(t, c, d)
			if got.Phase != v1alpha1.DisruptionFailed || got.Verdict != v1alpha1.JudgementInvalid || !strings.HasPrefix(got.Message, tc.message) {
				t.Errorf("status: %+v", got)
			}
			if blamed := strings.Contains(events(c), history.DisruptionFailed); blamed != tc.blamed {
				t.Errorf("events: %q", events(c))
			}
		})
	}
}
