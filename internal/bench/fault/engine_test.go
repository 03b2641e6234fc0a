package fault

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/record/history"
)

// oneSubject runs in the namespace s.
type oneSubject struct{ running *subject.Running }

func (o oneSubject) Running(namespace string) *subject.Running {
	if namespace != "s" {
		return nil
	}
	return o.running
}

// newFaultObject in the namespace s, created so many seconds after others.
func newFaultObject(name string, after int, edit func(*v1alpha1.FaultSpec)) *v1alpha1.Fault {
	object := &v1alpha1.Fault{ObjectMeta: metav1.ObjectMeta{
		Namespace: "s", Name: name, UID: types.UID(name + "-uid"),
		CreationTimestamp: metav1.NewTime(time.Unix(int64(after), 0)),
	}}
	object.Spec.Action.Disconnect = &v1alpha1.Empty{}
	if edit != nil {
		edit(&object.Spec)
	}
	return object
}

func createDeployment(replica, name string) history.Request {
	return history.Request{
		Scenario: "s", Replica: replica, Verb: history.VerbCreate, Group: "apps", Resource: "deployments", Name: name, Seq: 12,
	}
}

func newTestEngine() (*Engine, *subject.Running) {
	subject := &subject.Running{Replicas: []string{"subject-0", "subject-1"}}
	return NewEngine(Options{Subjects: oneSubject{subject}, Recorder: history.New(nil, nil)}), subject
}

// take is the Fault that takes a request, as it is for a call.
func (e *Engine) take(request history.Request) string {
	for _, f := range e.armed(request.Scenario) {
		if e.matches(f, request) && e.count(f, request) {
			return f.key.Name
		}
	}
	return ""
}

// TestTarget: a Fault hits the replicas that its target names. Who leads is looked up at
// each request.
func TestTarget(t *testing.T) {
	engine, subject := newTestEngine()
	for name, whom := range map[string]string{"all": "All", "unset": "", "leader": "Leader", "standby": "Standby", "named": "subject-1"} {
		engine.Add(newFaultObject(name, 0, func(spec *v1alpha1.FaultSpec) { spec.Target = whom }))
	}
	hit := func(replica string) string {
		var names []string
		for _, f := range engine.armed("s") {
			if engine.matches(f, createDeployment(replica, "demo")) {
				names = append(names, f.key.Name)
			}
		}
		return strings.Join(names, " ")
	}
	for _, step := range []struct{ leader, zero, one string }{
		{"", "all unset", "all named unset"},
		{"subject-0", "all leader unset", "all named standby unset"},
		{"subject-1", "all standby unset", "all leader named unset"},
	} {
		subject.Leader = step.leader
		if zero, one := hit("subject-0"), hit("subject-1"); zero != step.zero || one != step.one {
			t.Errorf("leader %q: subject-0 %q, subject-1 %q; want %q, %q", step.leader, zero, one, step.zero, step.one)
		}
	}
}

// TestOrderAndCounts: the oldest Fault that is not exhausted takes a request, and of several
// with the same age the first by name. What one skips, others take.
func TestOrderAndCounts(t *testing.T) {
	engine, _ := newTestEngine()
	times := func(skip, times int32) func(*v1alpha1.FaultSpec) {
		return func(spec *v1alpha1.FaultSpec) {
			spec.Match.Skip = skip
			if times > 0 {
				spec.Times = ptr.To(times)
			}
		}
	}
	engine.Add(newFaultObject("last", 2, nil))
	engine.Add(newFaultObject("b", 1, times(0, 1)))
	engine.Add(newFaultObject("a", 1, times(0, 1)))
	engine.Add(newFaultObject("first", 0, times(3, 2)))
	var notified int
	engine.OnHit(func(types.NamespacedName) { notified++ })
	var got []string
	for range 6 {
		got = append(got, engine.take(createDeployment("subject-0", "demo")))
	}
	if diff := cmp.Diff([]string{"a", "b", "last", "first", "first", "last"}, got); diff != "" || notified != 6 {
		t.Errorf("notified %d times; -want +got:\n%s", notified, diff)
	}
	for name, want := range map[string]v1alpha1.FaultStatus{
		"first": {Phase: v1alpha1.FaultExhausted, Hits: 2, ByResource: map[string]int64{"deployments.apps": 2}, Message: "#12 create deployments demo"},
		"last":  {Phase: v1alpha1.FaultActive, Hits: 2, ByResource: map[string]int64{"deployments.apps": 2}, Message: "#12 create deployments demo"},
	} {
		status, _ := engine.Status(types.NamespacedName{Namespace: "s", Name: name})
		if diff := cmp.Diff(want, status); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
	if got := engine.take(history.Request{Scenario: "elsewhere", Verb: history.VerbGet}); got != "" {
		t.Errorf("%s acts in another namespace", got)
	}
}

// TestExempt: only a Fault that names Leases hits a request for a Lease.
func TestExempt(t *testing.T) {
	engine, _ := newTestEngine()
	lease := history.Request{Scenario: "s", Verb: history.VerbUpdate, Group: "coordination.k8s.io", Resource: "leases"}
	engine.Add(newFaultObject("all", 0, nil))
	if got := engine.take(lease); got != "" {
		t.Errorf("%s takes a lease that it does not name", got)
	}
	engine.Add(newFaultObject("leases", 1, func(spec *v1alpha1.FaultSpec) {
		spec.Match.Resources = []string{"leases.coordination.k8s.io"}
	}))
	if got := engine.take(lease); got != "leases" {
		t.Errorf("the lease is taken by %q", got)
	}
}

// TestAddAndRemove: a Fault that is added again goes on counting. Another one of its name
// begins anew, and a removed one no longer acts. The history tells of each.
func TestAddAndRemove(t *testing.T) {
	engine, _ := newTestEngine()
	key := types.NamespacedName{Namespace: "s", Name: "f"}
	once := func(spec *v1alpha1.FaultSpec) { spec.Times, spec.Optional = ptr.To[int32](1), true }
	first := newFaultObject("f", 0, once)
	engine.Add(first)
	_, changed := engine.streaming(createDeployment("", ""))
	if engine.take(createDeployment("subject-0", "demo")) == "" {
		t.Error("did not act")
	}
	select {
	case <-changed:
	default:
		t.Error("streams are not told that a Fault is exhausted")
	}
	engine.Add(first)
	if status, ok := engine.Status(key); !ok || status.Hits != 1 {
		t.Errorf("added again, it began again: %+v", status)
	}
	armed := engine.find(key)
	second := newFaultObject("f", 0, once)
	second.UID = "another"
	engine.Add(second)
	if status, ok := engine.Status(key); !ok || status.Hits != 0 || status.Phase != v1alpha1.FaultArmed || !armed.gone() {
		t.Errorf("another of its name did not begin again: %+v", status)
	}
	engine.Remove(key)
	engine.Remove(key)
	if _, ok := engine.Status(key); ok || engine.take(createDeployment("subject-0", "demo")) != "" {
		t.Error("acts though it was removed")
	}
	engine.Add(newFaultObject("f", 0, func(spec *v1alpha1.FaultSpec) {
		spec.Action = v1alpha1.FaultAction{Crash: &v1alpha1.Crash{When: v1alpha1.CrashAfter}}
	}))
	status, _ := engine.Status(key)
	if status.Phase != v1alpha1.FaultInvalid || !strings.Contains(status.Message, "crash") || engine.take(createDeployment("subject-0", "demo")) != "" {
		t.Errorf("a crash without a crasher: %+v", status)
	}

	var reasons []string
	for _, event := range engine.options.Recorder.Events("s") {
		reasons = append(reasons, event.Reason)
		if event.Object != "Fault/f" || event.Optional != (event.Reason != history.FaultInvalid) {
			t.Errorf("event %+v", event)
		}
	}
	want := []string{
		history.FaultArmed, history.FaultFired, history.FaultDone, EventExhausted, EventRemoved,
		history.FaultArmed, EventRemoved, history.FaultInvalid,
	}
	if diff := cmp.Diff(want, reasons); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestCountsTogether: if many requests come at the same time, exactly as many are hit
// as the Fault says.
func TestCountsTogether(t *testing.T) {
	engine, _ := newTestEngine()
	engine.Add(newFaultObject("f", 0, func(spec *v1alpha1.FaultSpec) { spec.Match.Skip, spec.Times = 5, ptr.To[int32](7) }))
	var group sync.WaitGroup
	taken := make(chan string, 100)
	for n := range 100 {
		group.Go(func() { taken <- engine.take(createDeployment("subject-0", fmt.Sprint(n))) })
	}
	group.Wait()
	close(taken)
	hits := 0
	for name := range taken {
		if name != "" {
			hits++
		}
	}
	if status, _ := engine.Status(types.NamespacedName{Namespace: "s", Name: "f"}); hits != 7 || status.Hits != 7 {
		t.Errorf("%d are hit, %d are counted", hits, status.Hits)
	}
}

// TestEverything: with everything: true, a Fault hits each request. With an empty match
// it leaves some out, such as those for Leases and Events.
func TestEverything(t *testing.T) {
	requests := []history.Request{
		{Scenario: "s", Verb: history.VerbOther, Method: "GET", Path: "/version"},
		{Scenario: "s", Verb: history.VerbOther, Method: "GET", Path: "/apis/apps/v1"},
		{Scenario: "s", Verb: history.VerbUpdate, Group: "coordination.k8s.io", Resource: "leases", Name: "lock"},
		{Scenario: "s", Verb: history.VerbCreate, Group: "events.k8s.io", Resource: "events"},
		{Scenario: "s", Verb: history.VerbCreate, Group: "authentication.k8s.io", Resource: "tokenreviews"},
		{Scenario: "s", Verb: history.VerbWatch, Group: "apps", Resource: "deployments"},
	}
	for name, tc := range map[string]struct {
		match v1alpha1.FaultMatch
		want  string
	}{
		"everything":     {v1alpha1.FaultMatch{Everything: true}, "ffffff"},
		"an empty match": {v1alpha1.FaultMatch{}, "ff---f"},
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := newTestEngine()
			e.Add(newFaultObject("f", 0, func(spec *v1alpha1.FaultSpec) { spec.Match = tc.match }))
			var got strings.Builder
			for _, request := range requests {
				if e.take(request) == "" {
					got.WriteByte('-')
				} else {
					got.WriteByte('f')
				}
			}
			if diff := cmp.Diff(tc.want, got.String()); diff != "" {
				t.Errorf("requests that are hit (-want +got):\n%s", diff)
			}
		})
	}
}
