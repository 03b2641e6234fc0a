package bench_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestHome: a Subject lives in a namespace of its own. The garbage collector deletes
// that one together with the scenario's namespace. It outlives the Subject.
func TestHome(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	s := create(t, subjectIn(ns, func(spec *v1alpha1.SubjectSpec) { spec.Replicas = 0 }))
	await(t, s, "installed", func(s *v1alpha1.Subject) bool { return s.Status.Home == ns+"-home" })
	own, home := &corev1.Namespace{}, &corev1.Namespace{}
	for name, into := range map[string]*corev1.Namespace{ns: own, s.Status.Home: home} {
		if err := stage.client.Get(t.Context(), client.ObjectKey{Name: name}, into); err != nil {
			t.Fatal(err)
		}
	}
	want := []metav1.OwnerReference{{APIVersion: "v1", Kind: "Namespace", Name: ns, UID: own.UID}}
	if diff := cmp.Diff(want, home.OwnerReferences); diff != "" {
		t.Errorf("owners (-want +got):\n%s", diff)
	}
	account := client.ObjectKey{Namespace: home.Name, Name: "subject"}
	if err := stage.client.Get(t.Context(), account, &corev1.ServiceAccount{}); err != nil {
		t.Error(err)
	}

	if err := stage.client.Delete(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	awaitGone(t, s)
	await(t, create(t, subjectIn(ns, nil)), "ready in the same home", ready(1))
}

// TestHomeOfOthers: the bench moves no subject into a namespace that belongs to
// somebody else.
func TestHomeOfOthers(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns + "-home"}})
	s := create(t, subjectIn(ns, nil))
	await(t, s, "refused", func(s *v1alpha1.Subject) bool {
		return strings.Contains(s.Status.Message, "namespace "+ns+"-home is there already, and not the bench's")
	})
	if len(s.Status.Replicas) > 0 {
		t.Errorf("it was started: %+v", s.Status)
	}
}
