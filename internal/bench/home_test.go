package bench_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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

// TestOwnPod: a process that asks for the Pod that it is finds it, and one that takes its place
// finds another. A controller that does not ask has none, and what was made goes with the
// process.
func TestOwnPod(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	if missing := stage.bench.Isolation(); len(missing) > 0 {
		t.Skip(missing)
	}
	s := create(t, subjectIn(ns, func(spec *v1alpha1.SubjectSpec) { spec.Replicas = 0 }))
	await(t, s, "installed", func(s *v1alpha1.Subject) bool { return s.Status.Home != "" })
	meta := metav1.ObjectMeta{Namespace: s.Status.Home, Name: "own-pod"}
	create(t, &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}}})
	create(t, &rbacv1.RoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: s.Status.Home, Name: s.Status.ServiceAccount}},
	})
	s.Spec.Replicas = 1
	if err := stage.client.Update(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	await(t, s, "ready", ready(1))
	podsAt := func(when string, want ...string) {
		t.Helper()
		list := &corev1.PodList{}
		if err := stage.client.List(t.Context(), list, client.InNamespace(meta.Namespace)); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, pod := range list.Items {
			got = append(got, pod.Name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Pods %s (-want +got):\n%s", when, diff)
		}
	}
	served := func(name, want string) {
		t.Helper()
		await(t, create(t, webApp(ns, name, "own-pod")), want, func(w *unstructured.Unstructured) bool {
			url, _, _ := unstructured.NestedString(w.Object, "status", "serviceURL")
			return url == want
		})
	}
	podsAt("before it asks")
	served("first", "own-pod is subject-0 by subject-0")
	podsAt("after it asked", "subject-0")
	disrupt(t, ns, v1alpha1.ActionEvict, v1alpha1.DisruptionDone)
	await(t, s, "ready again", ready(1))
	served("second", "own-pod is subject-0-1 by subject-0-1")
	podsAt("after an eviction", "subject-0-1")
	if err := stage.client.Delete(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	awaitGone(t, s)
	podsAt("of a deleted Subject")
}

// TestHomeOfOthers: the bench moves no subject into a namespace that belongs to
// somebody else.
func TestHomeOfOthers(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns + "-home"}})
	s := create(t, subjectIn(ns, nil))
	await(t, s, "refused", func(s *v1alpha1.Subject) bool {
		return strings.Contains(s.Status.Message, "namespace "+ns+"-home, in which the controller must live, exists already")
	})
	if len(s.Status.Replicas) > 0 {
		t.Errorf("it was started: %+v", s.Status)
	}
}
