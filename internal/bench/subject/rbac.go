package subject

import (
	"context"
	"fmt"
	"slices"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// labelNamespace marks the cluster-wide parts of a Subject's rights with the Subject's
// namespace, so that a scenario can withdraw them.
const labelNamespace = "reconform.dev/bench-namespace"

const (
	tokenLifetime = 24 * time.Hour
	// bindingPatience is how long it may take until the authorizer knows new bindings.
	bindingPatience = 3 * time.Second
)

// tokens of one ServiceAccount.
type tokens struct {
	pod        string // as a Pod has it, in a file
	kubeconfig string
}

// authorize creates the ServiceAccount of a Subject, binds it to exactly the roles of the
// profile, and returns tokens for it.
func (e *Environment) authorize(ctx context.Context, s *v1alpha1.Subject) (t tokens, err error) {
	home := e.home(s)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: s.Name, Namespace: home}}
	_, err = e.Clientset.CoreV1().ServiceAccounts(home).Create(ctx, account, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return t, fmt.Errorf("creating the service account: %w", err)
	}
	user := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: s.Name, Namespace: home}}
	for _, grant := range e.grants(s) {
		if err := e.bind(ctx, s, grant, user); err != nil {
			return t, err
		}
	}
	if err := e.bindLease(ctx, s, user); err != nil {
		return t, err
	}
	if err := e.awaitAuthorizer(ctx, s); err != nil {
		return t, err
	}
	if t.pod, err = e.newToken(ctx, s); err != nil {
		return t, err
	}
	t.kubeconfig, err = e.newToken(ctx, s)
	return t, err
}

// grants returns the roles that a Subject gets. If the Subject may have Roles only, it gets
// ClusterRoles only in its home and in the namespaces that it serves.
func (e *Environment) grants(s *v1alpha1.Subject) []profile.Grant {
	grants := slices.Clone(e.Roles(s.Namespace))
	for i := range grants {
		if s.Spec.RolesOnly && grants[i].ClusterRole != nil && !grants[i].Inside {
			grants[i].Inside, grants[i].Served = true, true
		}
	}
	return grants
}

// newToken requests a token of a Subject's ServiceAccount. Each call returns a new one.
func (e *Environment) newToken(ctx context.Context, s *v1alpha1.Subject) (string, error) {
	seconds := int64(tokenLifetime.Seconds())
	request, err := e.Clientset.CoreV1().ServiceAccounts(e.home(s)).CreateToken(ctx, s.Name,
		&authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}, metav1.CreateOptions{})
	if err != nil {
		return "", fmt.Errorf("requesting a token: %w", err)
	}
	return request.Status.Token, nil
}

// bind gives a Subject a role: everywhere, only in its home, or there and in the namespaces
// that it serves.
func (e *Environment) bind(ctx context.Context, s *v1alpha1.Subject, grant profile.Grant, user []rbacv1.Subject) error {
	if grant.ClusterRole == nil || grant.Inside {
		inside := []string{e.home(s)}
		if grant.Served {
			inside = append(inside, served(s)...)
		}
		for _, namespace := range inside {
			if err := e.bindInside(ctx, s, grant, namespace, user); err != nil {
				return err
			}
		}
		return nil
	}
	role := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: grant.ClusterRole.Name}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: bindingName(s, role.Name), Labels: ofSubject(s)},
		RoleRef:    role,
		Subjects:   user,
	}
	_, err := e.Clientset.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("binding cluster role %s: %w", role.Name, err)
	}
	return nil
}

// bindInside binds a role in one namespace. A Role (not a ClusterRole) is copied there
// first.
func (e *Environment) bindInside(
	ctx context.Context, s *v1alpha1.Subject, grant profile.Grant, namespace string, user []rbacv1.Subject,
) error {
	role := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role"}
	if grant.Role != nil {
		role.Name = grant.Role.Name
		if err := e.createRole(ctx, metav1.ObjectMeta{Name: role.Name, Namespace: namespace}, grant.Role.Rules); err != nil {
			return err
		}
	} else {
		role.Kind, role.Name = "ClusterRole", grant.ClusterRole.Name
	}
	return e.createBinding(ctx, metav1.ObjectMeta{Name: bindingName(s, role.Kind+":"+role.Name), Namespace: namespace}, role, user)
}

// createRole creates a Role, unless it exists.
func (e *Environment) createRole(ctx context.Context, meta metav1.ObjectMeta, rules []rbacv1.PolicyRule) error {
	_, err := e.Clientset.RbacV1().Roles(meta.Namespace).Create(ctx, &rbacv1.Role{ObjectMeta: meta, Rules: rules}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating role %s: %w", meta.Name, err)
	}
	return nil
}

// createBinding binds a role in a namespace, unless it is bound there.
func (e *Environment) createBinding(ctx context.Context, meta metav1.ObjectMeta, role rbacv1.RoleRef, user []rbacv1.Subject) error {
	binding := &rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: role, Subjects: user}
	_, err := e.Clientset.RbacV1().RoleBindings(meta.Namespace).Create(ctx, binding, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("binding %s %s: %w", role.Kind, role.Name, err)
	}
	return nil
}

// awaitAuthorizer waits until the API server's authorizer knows the new bindings, so that
// the subject is not refused because of the bench. If the roles do not let the subject list
// its own resource, the wait ends without an error, and the subject has to find out.
func (e *Environment) awaitAuthorizer(ctx context.Context, s *v1alpha1.Subject) error {
	resource := e.Profile(s.Namespace).Spec.Contract.Resource
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User:   e.userName(s),
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + e.home(s), "system:authenticated"},
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: s.Namespace, Verb: "list", Group: resource.Group, Version: resource.Version, Resource: resource.Plural,
		},
	}}
	ctx, cancel := context.WithTimeout(ctx, bindingPatience)
	defer cancel()
	err := wait.PollUntilContextCancel(ctx, 10*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		answer, err := e.Clientset.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		return err == nil && answer.Status.Allowed, nil
	})
	if err != nil && !wait.Interrupted(err) {
		return fmt.Errorf("waiting for the authorizer: %w", err)
	}
	return nil
}

// unauthorize removes the parts of a Subject's rights that count outside its namespaces, and
// its webhooks. The rest is deleted with the namespaces.
func (e *Environment) unauthorize(ctx context.Context, s *v1alpha1.Subject) error {
	if err := e.unregister(ctx, s); err != nil {
		return err
	}
	if err := e.unbindLease(ctx, s); err != nil {
		return err
	}
	for _, grant := range e.grants(s) {
		if grant.ClusterRole == nil || grant.Inside {
			continue
		}
		err := e.Clientset.RbacV1().ClusterRoleBindings().Delete(ctx, bindingName(s, grant.ClusterRole.Name), metav1.DeleteOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("removing the binding of cluster role %s: %w", grant.ClusterRole.Name, err)
		}
	}
	return nil
}

func bindingName(s *v1alpha1.Subject, role string) string {
	return "reconform:" + s.Namespace + ":" + s.Name + ":" + role
}

func (e *Environment) userName(s *v1alpha1.Subject) string {
	return "system:serviceaccount:" + e.home(s) + ":" + s.Name
}
