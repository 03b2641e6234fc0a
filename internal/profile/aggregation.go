package profile

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// member is one role of an aggregated role.
type member struct {
	role    *rbacv1.ClusterRole
	builtIn bool
}

// members returns the roles that an aggregated role consists of, including the members of
// members. A role that is not aggregated is its only member. A binding to the role means
// the same as bindings to all its members. The rules of an aggregated role itself do not
// count, because a cluster overwrites them. A built-in role has its built-in members in every
// cluster, and the manifests may add others.
func (m *rights) members(of member) []member {
	all := []member{}
	for _, role := range m.clusterRoles {
		all = append(all, member{role, false})
	}
	for _, name := range []string{clusterAdmin, "admin", "edit", "view", "system:aggregate-to-admin", "system:aggregate-to-edit", "system:aggregate-to-view"} {
		all = append(all, member{builtInRole(name), true})
	}
	return aggregate(of, all, map[string]bool{})
}

func aggregate(of member, all []member, seen map[string]bool) (found []member) {
	if seen[of.role.Name] {
		return nil
	}
	seen[of.role.Name] = true
	if of.builtIn || of.role.AggregationRule == nil {
		found = append(found, of)
	}
	if of.role.AggregationRule == nil {
		return found
	}
	for _, one := range all {
		if !selects(of.role.AggregationRule, one.role.Labels) {
			continue
		}
		for _, more := range aggregate(one, all, seen) {
			if !of.builtIn || !more.builtIn { // a built-in role contains the built-in ones anyway
				found = append(found, more)
			}
		}
	}
	return found
}

func selects(rule *rbacv1.AggregationRule, of map[string]string) bool {
	return slices.ContainsFunc(rule.ClusterRoleSelectors, func(s metav1.LabelSelector) bool {
		selector, err := metav1.LabelSelectorAsSelector(&s)
		return err == nil && selector.Matches(labels.Set(of))
	})
}

const (
	clusterAdmin  = "cluster-admin"
	aggregateTo   = "rbac.authorization.k8s.io/aggregate-to-"
	bootstrapping = "kubernetes.io/bootstrapping"
)

// builtIn tells whether every cluster has a ClusterRole with this name.
func builtIn(name string) bool {
	return strings.HasPrefix(name, "system:") || slices.Contains([]string{clusterAdmin, "admin", "edit", "view"}, name)
}

// builtInRole returns a ClusterRole that every cluster has, without its rules. It has the
// labels and the aggregation rule, because these decide about aggregation.
func builtInRole(name string) *rbacv1.ClusterRole {
	role := &rbacv1.ClusterRole{}
	role.Name = name
	role.Labels = map[string]string{bootstrapping: "rbac-defaults"}
	to, part := strings.CutPrefix(name, "system:aggregate-to-")
	switch {
	case part:
		role.Labels[aggregateTo+to] = "true"
	case name == "admin" || name == "edit" || name == "view":
		role.AggregationRule = &rbacv1.AggregationRule{
			ClusterRoleSelectors: []metav1.LabelSelector{{MatchLabels: map[string]string{aggregateTo + name: "true"}}},
		}
	}
	switch name {
	case "edit":
		role.Labels[aggregateTo+"admin"] = "true"
	case "view":
		role.Labels[aggregateTo+"edit"] = "true"
	}
	return role
}
