package disruption

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/conformance/history"
	"reconform.dev/reconform/conformance/subject"
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

// serve has a controller whose status updates fail as often as given.
func serve(t *testing.T, p *processes, d *v1alpha1.Disruption, failures int) (*Controller, func() v1alpha1.DisruptionStatus) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	d.Namespace, d.Name, d.UID = namespace, "do-it", "u"
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(d).WithStatusSubresource(d).WithInterceptorFuncs(interceptor.Funcs{
		SubResourceUpdate: func(ctx context.Context, c client.Client, name string, o client.Object, opts ...client.SubResourceUpdateOption) error {
			if failures--; failures >= 0 {
				return errors.New("no answer")
			}
			return c.SubResource(name).Update(ctx, o, opts...)
		},
	}).Build()
	controller := &Controller{Client: c, Reader: c, Recorder: history.New(nil, nil), Processes: p, Within: func(string) time.Duration { return time.Minute }}
	return controller, func() v1alpha1.DisruptionStatus {
		t.Helper()
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(d), d); err != nil {
			t.Fatal(err)
		}
		return d.Status
	}
}

func reconcile(t *testing.T, c *Controller) (ctrl.Result, error) {
	t.Helper()
	return c.Reconcile(t.Context(), ctrl.Request{NamespacedName: client.ObjectKey{Namespace: namespace, Name: "do-it"}})
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
	c, status := serve(t, p, d, 1)
	if _, err := reconcile(t, c); err == nil {
		t.Fatal("the failed update is not told of")
	}
	for range 3 { // once for the update, and then as often as somebody calls
		if result, err := reconcile(t, c); err != nil || result.RequeueAfter != 0 {
			t.Fatal(result, err)
		}
	}
	if diff := cmp.Diff([]string{"Kill subject-0"}, p.done); diff != "" {
		t.Errorf("done (-want +got):\n%s", diff)
	}
	if p.within != time.Minute {
		t.Errorf("within %s", p.within)
	}
	code := int32(137)
	want := v1alpha1.DisruptionStatus{
		Phase: v1alpha1.DisruptionDone, Replica: "subject-0", ExitCode: &code, Signal: "SIGKILL", TookMs: 12,
		Replicas: []v1alpha1.DisruptedReplica{{Name: "subject-0", Exit: &v1alpha1.Exit{Code: 137, Signal: "SIGKILL", TookMs: 12}}},
	}
	got := status()
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
	c, status := serve(t, p, d, 0)
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
		result, err := reconcile(t, c)
		if waits := result.RequeueAfter > 0; err != nil || waits != (step.phase == v1alpha1.DisruptionPending) {
			t.Errorf("%+v: %v %v", step, result, err)
		}
		if got := status(); got.Phase != step.phase || got.Message != step.message {
			t.Errorf("%+v: %+v", step, got)
		}
	}
	if diff := cmp.Diff([]string{"Terminate subject-1"}, p.done); diff != "" || p.within != 300*time.Millisecond {
		t.Errorf("done within %s (-want +got):\n%s", p.within, diff)
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
			c, status := serve(t, p, &v1alpha1.Disruption{Spec: v1alpha1.DisruptionSpec{Action: v1alpha1.ActionRestart, Target: tc.target}}, 0)
			if _, err := reconcile(t, c); err != nil {
				t.Fatal(err)
			}
			if got := status(); got.Phase != v1alpha1.DisruptionFailed || !strings.HasPrefix(got.Message, tc.message) {
				t.Errorf("status: %+v", got)
			}
			if blamed := strings.Contains(events(c), history.DisruptionFailed); blamed != tc.blamed {
				t.Errorf("events: %q", events(c))
			}
		})
	}
}
