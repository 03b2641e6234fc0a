package bench_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestSetup: the objects that the subject needs, by its profile, exist. An object that
// names a namespace exists once, there. Any other exists in each namespace that the
// subject serves, its own included.
func TestSetup(t *testing.T) {
	t.Parallel()
	ns := namespace(t)
	second := create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: ns + "-b"}}).Name
	await(t, create(t, subjectIn(ns, func(spec *v1alpha1.SubjectSpec) { spec.Namespaces = []string{second} })), "ready", ready(1))
	for _, want := range []client.ObjectKey{
		{Namespace: "default", Name: "once"},
		{Namespace: ns, Name: "everywhere"},
		{Namespace: second, Name: "everywhere"},
		{Namespace: ns + "-home", Name: "everywhere"},
	} {
		if err := stage.client.Get(t.Context(), want, &corev1.ConfigMap{}); err != nil {
			t.Errorf("%s: %v", want, err)
		}
	}
}
