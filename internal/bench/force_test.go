package bench_test

import (
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// faultIn makes every write of a status fail, as often as given.
func faultIn(namespace, name string, times int32) *v1alpha1.Fault {
	f := &v1alpha1.Fault{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	f.Spec.Match.RequestMatch = v1alpha1.RequestMatch{Verbs: []string{"update"}, Resources: []string{"webapps.apps.kubedojo.io"}, Subresource: "status"}
	f.Spec.Action.Respond = &v1alpha1.Respond{Code: 503}
	f.Spec.Times = ptr.To(times)
	return f
}

// statusWrites of the subject, by their answers, oldest first.
func statusWrites(ns string) []int {
	var codes []int
	for _, r := range stage.recorder.Requests(inScenario(ns, 0)) {
		if r.Subresource == "status" && r.Finished {
			codes = append(codes, r.Code)
		}
	}
	return codes
}

// hasEvent tells whether the history has an event of an object.
func hasEvent(ns, reason, object string) bool {
	for _, e := range stage.recorder.Events(ns) {
		if e.Reason == reason && e.Object == object {
			return true
		}
	}
	return false
}

// TestObservationIsInForceOnceItIsCreated: an Observation sees an object that exists
// only for a moment, right after the Observation is created.
func TestObservationIsInForceOnceItIsCreated(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	o := create(t, observationIn(ns, "never", v1alpha1.ObservationSpec{Resource: "configmaps", Name: "brief", Never: "new != null"}))
	brief := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "brief"}}
	if err := stage.client.Create(t.Context(), brief); err != nil {
		t.Fatal(err)
	}
	if err := stage.client.Delete(t.Context(), brief); err != nil {
		t.Fatal(err)
	}
	await(t, o, "seen", func(o *v1alpha1.Observation) bool { return o.Status.Versions == 2 })
	if s := o.Status; s.Verdict != v1alpha1.JudgementNotMet || len(s.Violations) != 1 || !strings.HasPrefix(s.Message, `never expected "new != null", seen: brief at`) {
		t.Errorf("status: %+v", s)
	}
}

func TestEventuallyIsMetOrNot(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	for _, test := range []struct {
		name   string
		within time.Duration
		want   v1alpha1.Judgement
	}{
		{"there", time.Minute, v1alpha1.JudgementMet},
		{"missing", 300 * time.Millisecond, v1alpha1.JudgementNotMet},
	} {
		within := plus(test.within)
		o := create(t, observationIn(ns, test.name, v1alpha1.ObservationSpec{
			Resource: "configmaps", Name: test.name, Eventually: "new != null", Within: &within,
		}))
		if test.name == "there" {
			create(t, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: test.name}})
		}
		await(t, o, string(test.want), func(o *v1alpha1.Observation) bool { return o.Status.Verdict == test.want })
	}
}

// TestFaultIsInForceOnceItIsCreated: a Fault acts on the next request. So does one with
// the name of a deleted Fault. A second one of the same name is refused.
func TestFaultIsInForceOnceItIsCreated(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	await(t, create(t, subjectIn(ns, nil)), "ready", ready(1))
	f := create(t, faultIn(ns, "lost", 2))
	if !hasEvent(ns, "FaultArmed", "Fault/lost") {
		t.Error("it is not armed")
	}
	create(t, webApp(ns, "one", "a:1"))
	await(t, f, "hit", func(f *v1alpha1.Fault) bool { return f.Status.Hits == 1 })

	if err := stage.client.Create(t.Context(), faultIn(ns, "lost", 9)); !apierrors.IsAlreadyExists(err) {
		t.Fatalf("another of its name: %v", err)
	}
	create(t, webApp(ns, "two", "a:1"))
	await(t, f, "exhausted", func(f *v1alpha1.Fault) bool { return f.Status.Phase == v1alpha1.FaultExhausted })
	if f.Status.Hits != 2 || hasEvent(ns, "FaultRemoved", "Fault/lost") {
		t.Errorf("it was disturbed: %+v, events %s", f.Status, reasons(ns))
	}

	// Its successor of the same name is in force at once, too, and stays so.
	if err := stage.client.Delete(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	again := create(t, faultIn(ns, "lost", 1))
	create(t, webApp(ns, "three", "a:1"))
	await(t, again, "exhausted", func(f *v1alpha1.Fault) bool { return f.Status.Phase == v1alpha1.FaultExhausted })
	for i, code := range statusWrites(ns) {
		if code != 503 {
			t.Errorf("write %d of a status was answered with %d", i+1, code)
		}
	}
	if got := strings.Count(reasons(ns), "FaultArmed"); got != 2 {
		t.Errorf("armed %d times, want 2", got)
	}
}

// TestTrafficIsInForceOnceItIsCreated: a Traffic counts the next request.
func TestTrafficIsInForceOnceItIsCreated(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	await(t, create(t, subjectIn(ns, nil)), "ready", ready(1))
	traffic := &v1alpha1.Traffic{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "writes"}}
	traffic.Spec = v1alpha1.TrafficSpec{
		Match: v1alpha1.RequestMatch{Subresource: "status"}, WindowMs: 2000, Start: v1alpha1.StartNow,
		Expect: &v1alpha1.TrafficExpectation{Requests: &v1alpha1.NumberBound{Max: ptr.To[int64](0)}},
	}
	create(t, traffic)
	create(t, webApp(ns, "demo", "a:1"))
	await(t, traffic, "complete", func(o *v1alpha1.Traffic) bool { return o.Status.Phase == v1alpha1.TrafficComplete })
	if s := traffic.Status; s.Verdict != v1alpha1.JudgementNotMet || !strings.HasPrefix(s.Message, "expected no requests, found 1 in ") ||
		!strings.HasSuffix(s.Message, "update webapps/status demo (effective)") {
		t.Errorf("status: %+v", s)
	}
}

func TestDryRunPutsNothingInForce(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	s := create(t, subjectIn(ns, nil))
	await(t, s, "ready", ready(1))
	if err := stage.client.Create(t.Context(), faultIn(ns, "lost", 1), client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	unknown := faultIn(ns, "unknown", 1)
	unknown.Spec.Match.Resources = []string{"things.example.com"}
	if err := stage.client.Create(t.Context(), unknown, client.DryRunAll); !apierrors.IsForbidden(err) {
		t.Errorf("a dry run of what cannot be: %v", err)
	}
	o := watchStatus(t, ns)
	create(t, webApp(ns, "demo", "a:1"))
	await(t, o, "served", func(o *v1alpha1.Observation) bool { return len(o.Status.Violations) == 1 })
	if strings.Contains(reasons(ns), "Fault") {
		t.Errorf("events: %s", reasons(ns))
	}
}

// TestGeneratedName: two objects with generated names are in force at the same time.
func TestGeneratedName(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	for range 2 {
		f := faultIn(ns, "", 1)
		f.GenerateName, f.Spec.Optional = "lost-", true
		create(t, f)
		if !hasEvent(ns, "FaultArmed", "Fault/"+f.Name) {
			t.Errorf("%s is not armed: %s", f.Name, reasons(ns))
		}
	}
}

func TestInvalidObjectIsRefused(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	fault := faultIn(ns, "unknown", 1)
	fault.Spec.Match.Resources = []string{"deployments"}
	refused(t, fault, `spec.match.resources: the API server has no resource "deployments"; give deployments.apps`)

	traffic := &v1alpha1.Traffic{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "beyond"}}
	traffic.Spec = v1alpha1.TrafficSpec{
		WindowMs: 1000, Expect: &v1alpha1.TrafficExpectation{Requests: &v1alpha1.NumberBound{Max: ptr.To[int64](0), Beyond: "nothing"}},
	}
	refused(t, traffic, "spec.expect.requests.beyond: there is no Traffic nothing that is complete")

	in := v1alpha1.TimeBound{RetryPeriods: 1}
	refused(t, observationIn(ns, "within", v1alpha1.ObservationSpec{Resource: "pods", Eventually: "true", Within: &in}),
		"computing within: the profile declares no lease timings: give claims.times.lease")
	refused(t, observationIn(ns, "never", v1alpha1.ObservationSpec{Resource: "pods", Never: "new.status ="}), "compiling never: ERROR: <input>:1:12: Syntax error")
	refused(t, snapshotOf(ns, "unknown", v1alpha1.SnapshotSpec{Resources: []string{"things.example.com"}}), `"things.example.com"`)

	d := disruption(ns, v1alpha1.ActionTerminate)
	d.Spec.Expect = &v1alpha1.EndExpectation{Within: v1alpha1.TimeBound{LeaseDurations: 1}}
	refused(t, d, "computing expect.within: the profile declares no lease timings")
}

// TestHookIsRegistered: the webhook is registered under the name by which Uninstall
// finds it.
func TestHookIsRegistered(t *testing.T) {
	startsControlPlane(t)
	t.Parallel()
	var list admissionregistrationv1.ValidatingWebhookConfigurationList
	if err := stage.client.List(t.Context(), &list, client.HasLabels{"reconform.dev/bench"}); err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != 1 || list.Items[0].Name != v1alpha1.AdmissionName {
		t.Errorf("hooks: %+v", list.Items)
	}
}
