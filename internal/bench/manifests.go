package bench

import (
	"fmt"

	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/crds"
	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// CRDs returns the definitions of the bench's kinds and of the profiles'.
func CRDs(profiles ...*profile.Profile) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	definitions, err := crds.Served()
	if err != nil {
		return nil, fmt.Errorf("reading the bench's own CRDs: %w", err)
	}
	brought := union[*apiextensionsv1.CustomResourceDefinition]{}
	for _, p := range profiles {
		theirs, err := p.CRDs()
		if err != nil {
			return nil, fmt.Errorf("reading the CRDs of %s: %w", p.File, err)
		}
		for _, definition := range theirs {
			if err := brought.add("CustomResourceDefinition "+definition.Name, definition, p.File); err != nil {
				return nil, err
			}
		}
	}
	return append(definitions, brought.all...), nil
}

// setupOf returns the other objects of the profiles, in the order of their files.
func setupOf(profiles []*profile.Profile) ([]*unstructured.Unstructured, error) {
	brought := union[*unstructured.Unstructured]{}
	for _, p := range profiles {
		objects, err := p.SetupObjects()
		if err != nil {
			return nil, fmt.Errorf("reading the setup objects of %s: %w", p.File, err)
		}
		for _, object := range objects {
			name := fmt.Sprintf("%s %s/%s", object.GroupVersionKind(), object.GetNamespace(), object.GetName())
			if err := brought.add(name, object, p.File); err != nil {
				return nil, err
			}
		}
	}
	return brought.all, nil
}

// rolesOf returns the roles of each implementation, and the bench's copies of the
// cluster-wide ones. If two roles have the same name but differ, the later one gets a
// number.
func rolesOf(profiles []*profile.Profile) (map[*profile.Profile][]profile.Grant, []*rbacv1.ClusterRole, error) {
	byProfile := map[*profile.Profile][]profile.Grant{}
	byName := map[string]*rbacv1.ClusterRole{}
	var all []*rbacv1.ClusterRole
	named := map[*rbacv1.ClusterRole]bool{} // a role may be bound twice
	for _, p := range profiles {
		grants, err := p.Grants()
		if err != nil {
			return nil, nil, fmt.Errorf("reading the RBAC manifests of %s: %w", p.File, err)
		}
		for _, grant := range grants {
			role := grant.ClusterRole
			if role == nil || grant.BuiltIn || named[role] {
				continue
			}
			named[role] = true
			role.Labels = map[string]string{v1alpha1.LabelBench: v1alpha1.BenchMade}
			role.Name = freeName(role, byName)
			if byName[role.Name] == nil {
				byName[role.Name] = role
				all = append(all, role)
			}
		}
		byProfile[p] = grants
	}
	return byProfile, all, nil
}

// freeName returns the name of the bench's copy of a role: one that no role has yet, or that a
// role with the same rights has.
func freeName(role *rbacv1.ClusterRole, taken map[string]*rbacv1.ClusterRole) string {
	name := roleName(role.Name)
	for n := 2; taken[name] != nil && !sameRights(taken[name], role); n++ {
		name = fmt.Sprintf("%s:%d", roleName(role.Name), n)
	}
	return name
}

// roleName makes sure that the bench's copy of a role does not collide with a role that the
// cluster has already.
func roleName(name string) string { return "reconform:" + name }

func sameRights(a, b *rbacv1.ClusterRole) bool {
	return equality.Semantic.DeepEqual(a.Rules, b.Rules) && equality.Semantic.DeepEqual(a.AggregationRule, b.AggregationRule)
}

// union has objects that are installed only once, even if several profiles bring them.
type union[T any] struct {
	all   []T
	known map[string]known[T]
}

type known[T any] struct {
	object T
	from   string
}

// add adds an object. It returns an error if a different object with this name is there
// already.
func (u *union[T]) add(name string, object T, from string) error {
	present, ok := u.known[name]
	switch {
	case !ok:
		if u.known == nil {
			u.known = map[string]known[T]{}
		}
		u.known[name] = known[T]{object, from}
		u.all = append(u.all, object)
	case !equality.Semantic.DeepEqual(present.object, object):
		return fmt.Errorf("%s is not the same in %s and in %s: implementations that bring different ones cannot share a control plane",
			name, present.from, from)
	}
	return nil
}
