package bench_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func TestSubjectLifecycle(t *testing.T) {
	startsControlPlane(t)
	t.Parallel()
	if err := stage.launcher.CheckReplicas(); err != nil {
		t.Skip(err)
	}
	ns := namespace(t)
	s := create(t, subjectIn(ns, func(spec *v1alpha1.SubjectSpec) { spec.Replicas = 2 }))
	await(t, s, "ready", ready(2))
	status := s.Status
	if status.Home != ns+"-home" || status.ServiceAccount != "subject" || status.Message != "" || status.ObservedGeneration != s.Generation || len(status.Replicas) != 2 {
		t.Errorf("status: %+v", status)
	}
	for i, name := range []string{"subject-0", "subject-1"} {
		r := status.Replicas[i]
		if r.Name != name || r.Phase != v1alpha1.ReplicaRunning || !r.Readyz || r.Restarts != 0 || r.OpenWatches != 1 || r.LastExit != nil {
			t.Errorf("replica: %+v", r)
		}
	}
	s.Spec.Replicas = 1
	if err := stage.client.Update(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	await(t, s, "smaller", func(s *v1alpha1.Subject) bool { return len(s.Status.Replicas) == 1 && s.Status.Ready == 1 })

	if err := stage.client.Delete(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	awaitGone(t, s)
	if got := reasons(ns); strings.Count(got, "ReplicaStopped") != 2 || strings.Contains(got, "ReplicaCrashed") || !strings.HasSuffix(got, "SubjectStopped") {
		t.Errorf("events: %s", got)
	}
	if open := stage.recorder.OpenWatches(ns, ""); len(open) > 0 {
		t.Errorf("open watches: %+v", open)
	}
}

// TestSubjectAsksByName: a subject in a sandbox finds the API server by the name that
// it has in a cluster.
func TestSubjectAsksByName(t *testing.T) {
	startsControlPlane(t)
	t.Parallel()
	if missing := stage.bench.Isolation(); len(missing) > 0 {
		t.Skip(missing)
	}
	ns := namespace(t)
	await(t, create(t, subjectIn(ns, nil)), "ready", ready(1))
	await(t, create(t, webApp(ns, "site", "by-name")), "served by one that asks by name", func(w *unstructured.Unstructured) bool {
		url, _, _ := unstructured.NestedString(w.Object, "status", "serviceURL")
		return url == "by-name by subject-0"
	})
}

func TestSubjectThatExits(t *testing.T) {
	t.Parallel()
	for image, want := range map[string]struct {
		policy v1alpha1.RestartPolicy
		exit   v1alpha1.Exit
		words  string
	}{
		"exit":  {v1alpha1.RestartNever, v1alpha1.Exit{Code: 7}, "subject-0: exited with status 7; its last words: told to"},
		"panic": {v1alpha1.RestartAlways, v1alpha1.Exit{Code: 2, Panic: true}, ""},
	} {
		t.Run(image, func(t *testing.T) {
			t.Parallel()
			ns := namespace(t)
			s := create(t, subjectIn(ns, func(spec *v1alpha1.SubjectSpec) { spec.Restart = want.policy }))
			await(t, s, "ready", ready(1))
			create(t, webApp(ns, "demo", image))
			restarts := int32(0)
			if want.policy == v1alpha1.RestartAlways {
				restarts = 1
			}
			await(t, s, "ended", func(s *v1alpha1.Subject) bool {
				r := s.Status.Replicas[0]
				return r.LastExit != nil && r.Restarts == restarts && s.Status.Ready == restarts
			})
			if got := *s.Status.Replicas[0].LastExit; got != want.exit || s.Status.Message != want.words {
				t.Errorf("last exit %+v, %q; want %+v, %q", got, s.Status.Message, want.exit, want.words)
			}
		})
	}
}

func TestSubjectMayNotSeeOthersScenarios(t *testing.T) {
	t.Parallel()
	s := create(t, subjectIn(namespace(t), func(spec *v1alpha1.SubjectSpec) { spec.Namespaces = []string{"default"} }))
	await(t, s, "refused", func(s *v1alpha1.Subject) bool {
		return strings.Contains(s.Status.Message, `"default" is not of this scenario`)
	})
	if len(s.Status.Replicas) > 0 {
		t.Errorf("it was started: %+v", s.Status)
	}
}

func TestSubjectSeesItsOtherNamespaces(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	other := create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns + "-other"}})
	s := create(t, subjectIn(ns, func(spec *v1alpha1.SubjectSpec) { spec.Namespaces = []string{other.Name} }))
	await(t, s, "ready", ready(1))
	o := watchStatus(t, other.Name)
	create(t, webApp(other.Name, "there", "a:1"))
	await(t, o, "served", func(o *v1alpha1.Observation) bool { return len(o.Status.Violations) == 1 })
}

// watchStatus notices a status that the subject wrote.
func watchStatus(t *testing.T, ns string) *v1alpha1.Observation {
	t.Helper()
	o := &v1alpha1.Observation{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "written"}}
	o.Spec = v1alpha1.ObservationSpec{Resource: "webapps", Never: "new.?status.?phase.orValue('') == 'Running'"}
	return create(t, o)
}

func TestObservation(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	await(t, create(t, subjectIn(ns, nil)), "ready", ready(1))
	o := watchStatus(t, ns)
	app := create(t, webApp(ns, "demo", "a:1"))
	await(t, o, "violated", func(o *v1alpha1.Observation) bool { return len(o.Status.Violations) == 1 })
	v := o.Status.Violations[0]
	if v.Name != "demo" || v.Generation != 1 || !strings.Contains(v.Excerpt, "a:1 by subject-0") ||
		o.Status.Versions != 2 || o.Status.Statuses != 1 {
		t.Errorf("status: %+v", o.Status)
	}
	// It goes on: the next version is seen too, and so is the end.
	if err := stage.client.Delete(t.Context(), app); err != nil {
		t.Fatal(err)
	}
	await(t, o, "going on", func(o *v1alpha1.Observation) bool { return o.Status.Versions == 3 })
	if o.Status.Phase != v1alpha1.ObservationWatching || o.Status.Statuses != 1 {
		t.Errorf("status: %+v", o.Status)
	}
}

func TestInvalidObservationIsRefused(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	for name, tc := range map[string]struct {
		spec v1alpha1.ObservationSpec
		want string
	}{
		"expression": {v1alpha1.ObservationSpec{Resource: "webapps", Never: "new.status ="}, "Syntax error"},
		"resource":   {v1alpha1.ObservationSpec{Resource: "webapp.example.com", Never: "true"}, "give plural or plural.group"},
	} {
		refused(t, observationIn(ns, name, tc.spec), tc.want)
	}
}

func TestTraffic(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	await(t, create(t, subjectIn(ns, nil)), "ready", ready(1))
	traffic := &v1alpha1.Traffic{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "writes"}}
	traffic.Spec = v1alpha1.TrafficSpec{Match: v1alpha1.RequestMatch{Verbs: []string{"update"}}, WindowMs: 2000, Start: v1alpha1.StartNow}
	create(t, traffic)
	create(t, webApp(ns, "demo", "a:1"))
	await(t, traffic, "complete", func(o *v1alpha1.Traffic) bool { return o.Status.Phase == v1alpha1.TrafficComplete })
	if s := traffic.Status; s.Requests != 1 || s.Effective != 1 || s.Noop != 0 || s.OpenWatches != 1 || s.ByVerb["update"] != 1 {
		t.Errorf("status: %+v", s)
	}
}

func TestPreflight(t *testing.T) {
	startsControlPlane(t)
	t.Parallel()
	if err := stage.bench.Preflight(t.Context()); err != nil {
		t.Error(err)
	}
}

// awaitGone waits until the object is gone.
func awaitGone(t *testing.T, object client.Object) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := stage.client.Get(t.Context(), client.ObjectKeyFromObject(object), object)
		if apierrors.IsNotFound(err) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		}
	}
}
