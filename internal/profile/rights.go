package profile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Grant is a role that the implementation has by its manifests: a ClusterRole or a Role.
type Grant struct {
	ClusterRole *rbacv1.ClusterRole
	Role        *rbacv1.Role
	// Inside says that a ClusterRole counts in the implementation's own namespace only,
	// as a Role does.
	Inside bool
	// Served says that what counts in some namespaces counts in those that it serves
	// too.
	Served bool
	// BuiltIn says that every cluster has this ClusterRole, and that the manifests do
	// not define it.
	BuiltIn bool
}

// Grants are the roles that the manifests bind to the implementation's ServiceAccount.
// Where there is no binding in them, they are all roles. Finding no role is an error.
func (p *Profile) Grants() ([]Grant, error) {
	files, err := p.RBACFiles()
	if err != nil {
		return nil, err
	}
	objects, err := readObjects(files)
	if err != nil {
		return nil, err
	}
	var m manifests
	for _, object := range objects {
		if err := m.add(object); err != nil {
			return nil, err
		}
	}
	grants, err := m.grants(p.Spec.Install.ServiceAccount)
	if err != nil {
		return nil, fmt.Errorf("reading the RBAC manifests of %s: %w", p.Name, err)
	}
	return grants, nil
}

// manifests are what of a folder is about rights.
type manifests struct {
	clusterRoles []*rbacv1.ClusterRole
	roles        []*rbacv1.Role
	bindings     []binding
}

// binding of either kind.
type binding struct {
	name, namespace string
	everywhere      bool
	role            rbacv1.RoleRef
	subjects        []rbacv1.Subject
}

func (b binding) String() string {
	if b.everywhere {
		return "ClusterRoleBinding " + b.name
	}
	return "RoleBinding " + b.name
}

func (m *manifests) add(object *unstructured.Unstructured) error {
	if object.GroupVersionKind().Group != rbacv1.GroupName {
		return nil
	}
	switch object.GetKind() {
	case "ClusterRole":
		role := &rbacv1.ClusterRole{}
		m.clusterRoles = append(m.clusterRoles, role)
		return fromUnstructured(object, role)
	case "Role":
		role := &rbacv1.Role{}
		m.roles = append(m.roles, role)
		return fromUnstructured(object, role)
	case "ClusterRoleBinding":
		b := &rbacv1.ClusterRoleBinding{}
		if err := fromUnstructured(object, b); err != nil {
			return err
		}
		m.bindings = append(m.bindings, binding{b.Name, "", true, b.RoleRef, b.Subjects})
	case "RoleBinding":
		b := &rbacv1.RoleBinding{}
		if err := fromUnstructured(object, b); err != nil {
			return err
		}
		m.bindings = append(m.bindings, binding{b.Name, b.Namespace, false, b.RoleRef, b.Subjects})
	}
	return nil
}

// grants to the ServiceAccount of a name; empty: to the only one that is bound.
func (m *manifests) grants(account string) ([]Grant, error) {
	if len(m.clusterRoles)+len(m.roles) == 0 {
		return nil, errors.New("no ClusterRole and no Role in them")
	}
	var granted []Grant
	if len(m.bindings) == 0 {
		for _, role := range m.clusterRoles {
			granted = append(granted, Grant{ClusterRole: role})
		}
		for _, role := range m.roles {
			granted = append(granted, Grant{Role: role})
		}
		return granted, nil
	}
	account, err := m.account(account)
	if err != nil {
		return nil, err
	}
	for _, b := range m.bindings {
		if !b.binds(account) || b.ofTheSystem() {
			continue
		}
		grant, err := m.grant(b)
		if err != nil {
			return nil, err
		}
		grant.Served = b.elsewhere(account)
		granted = append(granted, grant)
	}
	return granted, nil
}

// account that is bound: the one of this name, or the only one.
func (m *manifests) account(name string) (string, error) {
	var names []string
	for _, b := range m.bindings {
		for _, subject := range b.subjects {
			if subject.Kind == rbacv1.ServiceAccountKind && !slices.Contains(names, subject.Name) {
				names = append(names, subject.Name)
			}
		}
	}
	switch {
	case name == "" && len(names) == 1:
		return names[0], nil
	case name == "" && len(names) > 1:
		return "", fmt.Errorf("their bindings are for several ServiceAccounts: name one of %s in install.serviceAccount", strings.Join(names, ", "))
	case !slices.Contains(names, name):
		return "", fmt.Errorf("no binding in them is for ServiceAccount %q; bound are: %s", name, orNone(names))
	}
	return name, nil
}

func (b binding) binds(account string) bool {
	return slices.ContainsFunc(b.subjects, func(subject rbacv1.Subject) bool {
		return subject.Kind == rbacv1.ServiceAccountKind && subject.Name == account
	})
}

// ofTheSystem says whether the rights are in a namespace that no subject sees.
func (b binding) ofTheSystem() bool { return !b.everywhere && strings.HasPrefix(b.namespace, "kube-") }

// elsewhere says whether the rights are in another namespace than the ServiceAccount:
// one that it serves.
func (b binding) elsewhere(account string) bool {
	return !b.everywhere && b.namespace != "" && slices.ContainsFunc(b.subjects, func(subject rbacv1.Subject) bool {
		return subject.Kind == rbacv1.ServiceAccountKind && subject.Name == account &&
			subject.Namespace != "" && subject.Namespace != b.namespace
	})
}

// grant that a binding is. A Role without a namespace is where its binding is, and the
// other way round: manifests get theirs when they are installed.
func (m *manifests) grant(b binding) (Grant, error) {
	if b.role.Kind == "ClusterRole" {
		for _, role := range m.clusterRoles {
			if role.Name == b.role.Name {
				return Grant{ClusterRole: role, Inside: !b.everywhere}, nil
			}
		}
		if builtIn(b.role.Name) {
			role := &rbacv1.ClusterRole{}
			role.Name = b.role.Name
			return Grant{ClusterRole: role, Inside: !b.everywhere, BuiltIn: true}, nil
		}
	}
	for _, role := range m.roles {
		near := role.Namespace == b.namespace || role.Namespace == "" || b.namespace == ""
		if b.role.Kind == "Role" && role.Name == b.role.Name && near {
			return Grant{Role: role}, nil
		}
	}
	return Grant{}, fmt.Errorf("%s binds %s %s, which is not in them", b, b.role.Kind, b.role.Name)
}

// builtIn says whether every cluster has a ClusterRole of this name.
func builtIn(name string) bool {
	return strings.HasPrefix(name, "system:") || slices.Contains([]string{"cluster-admin", "admin", "edit", "view"}, name)
}
