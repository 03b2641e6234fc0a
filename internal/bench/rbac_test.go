package bench_test

import (
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestRightsCanBeWithdrawn: a scenario can find the cluster-wide bindings of its own
// Subject, to remove them, and no others.
func TestRightsCanBeWithdrawn(t *testing.T) {
	t.Parallel()
	ns, other := namespace(t), namespace(t)
	for _, where := range []string{ns, other} {
		await(t, create(t, subjectIn(where, nil)), "ready", ready(1))
	}
	mine := client.MatchingLabels{"reconform.dev/bench-namespace": ns}
	var bindings rbacv1.ClusterRoleBindingList
	if err := stage.client.List(t.Context(), &bindings, mine); err != nil {
		t.Fatal(err)
	}
	if len(bindings.Items) == 0 {
		t.Fatal("no binding is labelled with the namespace of its Subject")
	}
	for _, b := range bindings.Items {
		if len(b.Subjects) != 1 || b.Subjects[0].Namespace != ns+"-home" || b.Subjects[0].Name != "subject" {
			t.Errorf("%s binds %+v", b.Name, b.Subjects)
		}
	}
	if err := stage.client.DeleteAllOf(t.Context(), &rbacv1.ClusterRoleBinding{}, mine); err != nil {
		t.Fatal(err)
	}
	// A Subject whose bindings are gone can still be stopped.
	s := subjectIn(ns, nil)
	if err := stage.client.Delete(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	awaitGone(t, s)
}
