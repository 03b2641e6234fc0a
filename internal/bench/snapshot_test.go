package bench_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func snapshotOf(namespace, name string, spec v1alpha1.SnapshotSpec) *v1alpha1.Snapshot {
	return &v1alpha1.Snapshot{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Spec: spec}
}

// plus is a bound that is the same for every profile.
func plus(d time.Duration) v1alpha1.TimeBound {
	return v1alpha1.TimeBound{Plus: metav1.Duration{Duration: d}}
}

func snapshotIs(phase v1alpha1.SnapshotPhase) func(*v1alpha1.Snapshot) bool {
	return func(s *v1alpha1.Snapshot) bool { return s.Status.Phase == phase }
}

func TestSnapshot(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	service := func() *corev1.Service {
		s := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "demo"}}
		s.Spec.Ports = []corev1.ServicePort{{Port: 80}}
		return s
	}
	app := webApp(ns, "demo", "a:1")
	for _, o := range []client.Object{app, service()} {
		if err := stage.client.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	first := create(t, snapshotOf(ns, "first", v1alpha1.SnapshotSpec{}))
	await(t, first, "taken", snapshotIs(v1alpha1.SnapshotTaken))
	// Services are none of this profile's contract.
	if s := first.Status; s.Objects != 1 || !strings.HasPrefix(s.Digest, "sha256:") || !strings.Contains(s.Content, `"image":"a:1"`) || strings.Contains(s.Content, string(app.GetUID())) {
		t.Errorf("status: %+v", s)
	}
	both := v1alpha1.SnapshotSpec{Resources: []string{"services", "webapps", "webapps.apps.kubedojo.io"}, Names: []string{"demo"}}
	before := create(t, snapshotOf(ns, "before", both))
	await(t, before, "taken", snapshotIs(v1alpha1.SnapshotTaken))

	// Another life of the same objects is the same.
	for _, o := range []client.Object{app, service()} {
		if err := stage.client.Delete(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	again := webApp(ns, "demo", "a:2")
	for _, o := range []client.Object{again, service(), webApp(ns, "other", "a:1")} {
		if err := stage.client.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	both.Compare, both.Within = "before", plus(time.Minute)
	after := create(t, snapshotOf(ns, "after", both))
	await(t, after, "compared", snapshotIs(v1alpha1.SnapshotComparing))
	if want := []string{`webapps.apps.kubedojo.io demo: spec.image: "a:2", was "a:1"`}; !slices.Equal(after.Status.Differences, want) {
		t.Errorf("differences: %q, want %q", after.Status.Differences, want)
	}
	both.Within = plus(300 * time.Millisecond)
	hasty := create(t, snapshotOf(ns, "hasty", both))
	await(t, hasty, "different", snapshotIs(v1alpha1.SnapshotDifferent))
	const message = `expected: the same as before within 300ms; found: webapps.apps.kubedojo.io demo: spec.image: "a:2", was "a:1"`
	if s := hasty.Status; s.Message != message || s.Verdict != v1alpha1.JudgementNotMet || len(s.Differences) != 1 {
		t.Errorf("status: %+v", s)
	}
	again.Object["spec"] = map[string]any{"image": "a:1"}
	if err := stage.client.Update(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	await(t, after, "the same", snapshotIs(v1alpha1.SnapshotSame))
	if s := after.Status; len(s.Differences) > 0 || s.Digest != before.Status.Digest {
		t.Errorf("status: %+v", s)
	}
}

func TestSnapshotThatCannotBeTaken(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	for _, tc := range []struct {
		name string
		spec v1alpha1.SnapshotSpec
		want string
	}{
		{"resource", v1alpha1.SnapshotSpec{Resources: []string{"webapp.example.com"}}, "give plural or plural.group"},
		{"cluster", v1alpha1.SnapshotSpec{Resources: []string{"namespaces"}}, "namespaces is not namespaced"},
		{"other", v1alpha1.SnapshotSpec{Compare: "nothing"}, "there is no Snapshot nothing to compare with"},
		{"itself", v1alpha1.SnapshotSpec{Compare: "itself"}, "it is to be compared with itself"},
	} {
		refused(t, snapshotOf(ns, tc.name, tc.spec), tc.want)
	}
}
