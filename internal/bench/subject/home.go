package subject

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// home returns the namespace that the replicas of a Subject live in.
func (e *Environment) home(s *v1alpha1.Subject) string {
	return e.Profile(s.Namespace).Home(s.Namespace)
}

// makeHome creates that namespace, unless it is the Subject's own. It is deleted with the
// Subject's namespace, not with the Subject. So a Subject that is started again finds what
// the one before left, like an installation that was scaled to zero.
func (e *Environment) makeHome(ctx context.Context, s *v1alpha1.Subject) error {
	name, namespaces := e.home(s), e.Clientset.CoreV1().Namespaces()
	if name == s.Namespace {
		return nil
	}
	owner, err := namespaces.Get(ctx, s.Namespace, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("reading the namespace of the subject: %w", err)
	}
	home := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{v1alpha1.LabelBench: v1alpha1.BenchMade},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "v1", Kind: "Namespace", Name: owner.Name, UID: owner.UID}},
	}}
	_, err = namespaces.Create(ctx, home, metav1.CreateOptions{})
	if err == nil {
		return nil
	}
	if !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating the home of the subject: %w", err)
	}
	present, err := namespaces.Get(ctx, name, metav1.GetOptions{})
	switch {
	case err != nil:
		return fmt.Errorf("reading the home of the subject: %w", err)
	case present.Labels[v1alpha1.LabelBench] == "":
		return fmt.Errorf("namespace %s, in which the controller must live, exists already, and the bench did not create it", name)
	case present.DeletionTimestamp != nil:
		return fmt.Errorf("namespace %s, in which the controller must live, is being deleted", name)
	}
	return nil
}
