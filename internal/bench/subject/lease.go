package subject

import (
	"context"
	"fmt"
	"slices"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// leaseNamespace returns the namespace of a Subject's Lease, if that is neither its home nor
// one that it serves. Otherwise it is empty: the rights that it has there are enough.
func (e *Environment) leaseNamespace(s *v1alpha1.Subject) string {
	lease, ok := e.Profile(s.Namespace).Lease(s.Namespace)
	if !ok || lease.Namespace == e.home(s) || slices.Contains(served(s), lease.Namespace) {
		return ""
	}
	return lease.Namespace
}

// bindLease gives a Subject, in the namespace of its Lease, those rules of its roles that are
// about Leases and Events. In a cluster of its user's, the controller is installed there.
func (e *Environment) bindLease(ctx context.Context, s *v1alpha1.Subject, user []rbacv1.Subject) error {
	namespace := e.leaseNamespace(s)
	rules := ofElections(e.grants(s))
	if namespace == "" || len(rules) == 0 {
		return nil
	}
	meta := metav1.ObjectMeta{Name: bindingName(s, "lease"), Namespace: namespace, Labels: ofSubject(s)}
	err := e.createRole(ctx, meta, rules)
	if err == nil {
		err = e.createBinding(ctx, meta, rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name}, user)
	}
	if err != nil {
		return fmt.Errorf("giving rights to the Lease in namespace %s: %w", namespace, err)
	}
	return nil
}

// unbindLease removes what bindLease has created.
func (e *Environment) unbindLease(ctx context.Context, s *v1alpha1.Subject) error {
	namespace := e.leaseNamespace(s)
	if namespace == "" {
		return nil
	}
	name := bindingName(s, "lease")
	if err := e.Clientset.RbacV1().RoleBindings(namespace).Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("removing the binding for the Lease in namespace %s: %w", namespace, err)
	}
	if err := e.Clientset.RbacV1().Roles(namespace).Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("removing the role for the Lease in namespace %s: %w", namespace, err)
	}
	return nil
}

// ofElections returns what the roles that hold in one namespace allow for Leases and Events. A
// role that holds in the whole cluster holds in the namespace of the Lease anyway.
func ofElections(grants []profile.Grant) (rules []rbacv1.PolicyRule) {
	for _, grant := range grants {
		var all []rbacv1.PolicyRule
		switch {
		case grant.Role != nil:
			all = grant.Role.Rules
		case grant.ClusterRole != nil && grant.Inside:
			all = grant.ClusterRole.Rules
		}
		for _, rule := range all {
			rules = append(rules, ofElection(rule)...)
		}
	}
	return rules
}

// ofElection returns what a rule allows for Leases and Events.
func ofElection(rule rbacv1.PolicyRule) (rules []rbacv1.PolicyRule) {
	for _, needed := range []schema.GroupResource{
		{Group: coordinationv1.GroupName, Resource: "leases"}, {Group: corev1.GroupName, Resource: "events"}, {Group: eventsv1.GroupName, Resource: "events"},
	} {
		if profile.Lists(rule.APIGroups, needed.Group) && profile.Lists(rule.Resources, needed.Resource) {
			rules = append(rules, rbacv1.PolicyRule{
				APIGroups: []string{needed.Group}, Resources: []string{needed.Resource}, Verbs: rule.Verbs, ResourceNames: rule.ResourceNames,
			})
		}
	}
	return rules
}
