package profile

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"reconform.dev/reconform/internal/profile/strictyaml"
)

// Grant is a role that the manifests give to the implementation: a ClusterRole or a Role.
type Grant struct {
	ClusterRole *rbacv1.ClusterRole
	Role        *rbacv1.Role
	// Inside is true if a ClusterRole counts only in the implementation's own namespace, as a
	// Role does.
	Inside bool
	// Served is true if a role that counts in some namespaces counts in the served ones, too.
	Served bool
	// BuiltIn is true if every cluster has this ClusterRole and the manifests do not define
	// it.
	BuiltIn bool
}

// Lists tells whether a list of a rule, such as its verbs, has a name, or all.
func Lists(list []string, name string) bool {
	return slices.Contains(list, name) || slices.Contains(list, rbacv1.ResourceAll)
}

// Grants returns the roles that the manifests bind to the implementation's ServiceAccount:
// to the account, to a Group that it is in, or to the User that stands for it. An
// aggregated role is replaced by its members. If the manifests have no binding, all their
// roles are granted. It is an error if there is no role.
func (p *Profile) Grants() ([]Grant, error) {
	m, err := p.rights()
	if err != nil {
		return nil, err
	}
	account, err := p.account(m)
	if err != nil {
		return nil, err
	}
	grants, err := m.grants(account)
	if err == nil && len(grants) == 0 && !m.onlyOfTheSystem(account) {
		err = fmt.Errorf("no role in them is for ServiceAccount %q, and without rights the controller cannot work: the bindings are for %s",
			account, orNone(m.subjects()))
		if len(m.bindings) == 0 {
			err = errors.New("their ClusterRoles are aggregated, and no ClusterRole in them has the labels that they ask for: name the manifests with these too")
		}
	}
	return grants, p.problemsOf("spec.install.rbac", err).Err()
}

// rights reads the roles, bindings and accounts of the manifests.
func (p *Profile) rights() (*rights, error) {
	objects, err := p.shipped("spec.install.rbac", p.Spec.Install.RBAC)
	if err != nil {
		return nil, err
	}
	m := &rights{}
	for _, object := range objects {
		if err := m.add(p, object); err != nil {
			return nil, err
		}
	}
	if err := p.checkTwice(objects); err != nil {
		return nil, err
	}
	builtInOnly := slices.ContainsFunc(m.bindings, func(b binding) bool { return b.role.Kind == "ClusterRole" && builtIn(b.role.Name) })
	if len(m.clusterRoles)+len(m.roles) == 0 && !builtInOnly {
		return nil, strictyaml.Problems{p.document.Problem("spec.install.rbac", "no ClusterRole and no Role in them; they have: %s", orNone(kindsOf(objects)))}
	}
	return m, nil
}

// checkTwice refuses two roles or bindings of the same name that give different rights: in
// a cluster, the second replaces the first.
func (p *Profile) checkTwice(objects []shipped) error {
	type identity struct{ kind, namespace, name string }
	first := map[identity]shipped{}
	for _, object := range objects {
		if object.GroupVersionKind().Group != rbacv1.GroupName {
			continue
		}
		id := identity{object.GetKind(), object.GetNamespace(), object.GetName()}
		one, twice := first[id]
		if twice && slices.ContainsFunc([]string{"rules", "aggregationRule", "roleRef", "subjects"}, func(field string) bool {
			return !reflect.DeepEqual(one.Unstructured.Object[field], object.Unstructured.Object[field])
		}) {
			return strictyaml.Problems{p.document.Problem(object.field, "%s %s is there twice (%s and %s), and they differ: in a cluster, the second replaces the first; remove one of them",
				id.kind, id.name, one.Place(), object.Place())}
		}
		first[id] = object
	}
	return nil
}

// rights are the roles, bindings and accounts of the manifests.
type rights struct {
	clusterRoles []*rbacv1.ClusterRole
	roles        []*rbacv1.Role
	bindings     []binding
	// accounts that the manifests create, and those that a workload runs as.
	accounts, running []account
}

// binding is a RoleBinding or a ClusterRoleBinding.
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

func (m *rights) add(p *Profile, object shipped) error {
	if object.GroupVersionKind().Group != rbacv1.GroupName {
		return m.addAccount(p, object)
	}
	if version := object.GroupVersionKind().Version; version != "v1" {
		return p.problemsIn(object.field, fmt.Errorf("%s %s is of %s, which Kubernetes has not served since 1.22: give it as %s",
			object.GetKind(), object.GetName(), object.GetAPIVersion(), rbacv1.SchemeGroupVersion)).Err()
	}
	switch object.GetKind() {
	case "ClusterRole":
		role := &rbacv1.ClusterRole{}
		m.clusterRoles = append(m.clusterRoles, role)
		if err := p.into(object, role); err != nil {
			return err
		}
		return p.problemsIn(object.field, object.Refused(refusedRules(object.GetKind(), role.Rules))).Err()
	case "Role":
		role := &rbacv1.Role{}
		m.roles = append(m.roles, role)
		if err := p.into(object, role); err != nil {
			return err
		}
		return p.problemsIn(object.field, object.Refused(refusedRules(object.GetKind(), role.Rules))).Err()
	case "ClusterRoleBinding":
		b := &rbacv1.ClusterRoleBinding{}
		if err := p.into(object, b); err != nil {
			return err
		}
		m.bindings = append(m.bindings, binding{name: b.Name, everywhere: true, role: b.RoleRef, subjects: b.Subjects})
	case "RoleBinding":
		b := &rbacv1.RoleBinding{}
		if err := p.into(object, b); err != nil {
			return err
		}
		m.bindings = append(m.bindings, binding{name: b.Name, namespace: b.Namespace, role: b.RoleRef, subjects: b.Subjects})
	}
	return nil
}

// refusedRules returns what the API server says of the rules of a role of a kind: Role or
// ClusterRole.
func refusedRules(kind string, rules []rbacv1.PolicyRule) (refused field.ErrorList) {
	for n, rule := range rules {
		at := field.NewPath("rules").Index(n)
		require := func(name string, list []string, example string) {
			if len(list) == 0 {
				refused = append(refused, field.Required(at.Child(name), "a rule has at least one of them, "+example))
			}
		}
		require("verbs", rule.Verbs, "such as get")
		switch urls := at.Child("nonResourceURLs"); {
		case len(rule.NonResourceURLs) == 0:
			require("apiGroups", rule.APIGroups, `such as apps, or "" for the core group`)
			require("resources", rule.Resources, "such as deployments")
		case kind == "Role":
			refused = append(refused, field.Forbidden(urls, "a Role is about a namespace, and URLs are in none: write a ClusterRole"))
		case len(rule.APIGroups)+len(rule.Resources)+len(rule.ResourceNames) > 0:
			refused = append(refused, field.Forbidden(urls, "a rule is about URLs or about resources, and not about both: write two rules"))
		}
	}
	return refused
}

// grants returns the grants to a ServiceAccount.
func (m *rights) grants(to account) ([]Grant, error) {
	var granted []Grant
	if len(m.bindings) == 0 {
		for _, role := range m.clusterRoles {
			granted = m.grantMembers(granted, Grant{ClusterRole: role})
		}
		for _, role := range m.roles {
			granted = append(granted, Grant{Role: role})
		}
		return granted, nil
	}
	for _, b := range m.bindings {
		if !slices.ContainsFunc(b.subjects, to.is) || b.ofTheSystem() {
			continue
		}
		grant, err := m.grant(b)
		if err != nil {
			return nil, err
		}
		grant.Served = b.elsewhere(to)
		if grant.ClusterRole != nil && grant.ClusterRole.AggregationRule != nil && len(m.members(member{role: grant.ClusterRole})) == 0 {
			return nil, fmt.Errorf("%s binds ClusterRole %s, which is aggregated, and no ClusterRole in them has the labels that it asks for: name the manifests with these too",
				b, b.role.Name)
		}
		granted = m.grantMembers(granted, grant)
	}
	if namespaces := m.groupedIn(); len(granted) == 0 && to.namespace == "" && len(namespaces) > 0 {
		return nil, fmt.Errorf("they bind the accounts of namespace %s, and do not say in which namespace ServiceAccount %q is: name it in spec.install.serviceAccount, as %s/%s",
			strings.Join(namespaces, ", "), to.name, namespaces[0], cmp.Or(to.name, "NAME"))
	}
	return granted, nil
}

// onlyOfTheSystem tells whether an account has rights only in namespaces that no subject
// sees.
func (m *rights) onlyOfTheSystem(one account) bool {
	return slices.ContainsFunc(m.bindings, func(b binding) bool { return b.ofTheSystem() && slices.ContainsFunc(b.subjects, one.is) })
}

// groupedIn returns the namespaces whose accounts are bound all together.
func (m *rights) groupedIn() (namespaces []string) {
	for _, b := range m.bindings {
		for _, subject := range b.subjects {
			if namespace, ok := accountsIn(subject); ok && !slices.Contains(namespaces, namespace) {
				namespaces = append(namespaces, namespace)
			}
		}
	}
	return namespaces
}

// grantMembers adds a grant. For an aggregated role it adds one for each member that is not
// in the list yet.
func (m *rights) grantMembers(granted []Grant, grant Grant) []Grant {
	if grant.ClusterRole == nil {
		return append(granted, grant)
	}
	for _, member := range m.members(member{grant.ClusterRole, grant.BuiltIn}) {
		one := grant
		one.ClusterRole, one.BuiltIn = member.role, member.builtIn
		known := slices.ContainsFunc(granted, func(g Grant) bool {
			return g.ClusterRole != nil && g.ClusterRole.Name == one.ClusterRole.Name && g.BuiltIn == one.BuiltIn &&
				g.Inside == one.Inside && g.Served == one.Served
		})
		if !known {
			granted = append(granted, one)
		}
	}
	return granted
}

// ofTheSystem tells whether the rights are in a namespace that no subject sees.
func (b binding) ofTheSystem() bool { return !b.everywhere && strings.HasPrefix(b.namespace, "kube-") }

// elsewhere tells whether the rights are in another namespace than the ServiceAccount: one
// that it serves.
func (b binding) elsewhere(than account) bool {
	return !b.everywhere && b.namespace != "" && than.namespace != "" && b.namespace != than.namespace
}

// grant returns the grant that a binding makes. A Role without a namespace is in the
// namespace of its binding, and the other way round, because manifests may get their
// namespace at installation.
func (m *rights) grant(b binding) (Grant, error) {
	if b.role.Kind == "ClusterRole" {
		for _, role := range m.clusterRoles {
			if role.Name == b.role.Name {
				return Grant{ClusterRole: role, Inside: !b.everywhere}, nil
			}
		}
		if builtIn(b.role.Name) {
			return Grant{ClusterRole: builtInRole(b.role.Name), Inside: !b.everywhere, BuiltIn: true}, nil
		}
	}
	if b.role.Kind == "Role" && b.everywhere {
		return Grant{}, fmt.Errorf("%s binds Role %s, and a cluster refuses that: bind a ClusterRole, or write a RoleBinding", b, b.role.Name)
	}
	var found *rbacv1.Role
	for _, role := range m.roles {
		near := role.Namespace == b.namespace || role.Namespace == "" || b.namespace == ""
		if b.role.Kind == "Role" && role.Name == b.role.Name && near && (found == nil || role.Namespace == b.namespace) {
			found = role
		}
	}
	if found != nil {
		return Grant{Role: found}, nil
	}
	return Grant{}, fmt.Errorf("%s binds %s %s, which is not in them%s", b, b.role.Kind, b.role.Name, m.insteadOf(b))
}

// insteadOf says what to do about a binding to a role that is not there. If a role has a name that
// differs only by a prefix or a suffix, a kustomization probably adds that to one of the two.
func (m *rights) insteadOf(b binding) string {
	names := map[string]string{} // the namespaces of the roles of this kind, by name
	if b.role.Kind == "ClusterRole" {
		for _, role := range m.clusterRoles {
			names[role.Name] = ""
		}
	} else {
		for _, role := range m.roles {
			names[role.Name] = role.Namespace
		}
	}
	if namespace, there := names[b.role.Name]; there {
		return fmt.Sprintf("; there is one in the namespace %s, and the binding is in %s: correct one of them", namespace, b.namespace)
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		longer, shorter := b.role.Name, name
		if len(longer) < len(shorter) {
			longer, shorter = shorter, longer
		}
		if strings.HasSuffix(longer, "-"+shorter) || strings.HasPrefix(longer, shorter+"-") {
			return fmt.Sprintf("; there is %s %s: if a kustomization adds the rest of the name, such as config/default, give that one", b.role.Kind, name)
		}
	}
	return "; add the file that has it"
}
