package subject

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"

	"reconform.dev/reconform/internal/profile"
)

// TestOfElections: in the namespace of its Lease, a controller gets what its Roles say about
// Leases and Events, and nothing else.
func TestOfElections(t *testing.T) {
	rule := func(groups, resources []string, verbs ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: groups, Resources: resources, Verbs: verbs}
	}
	role := func(rules ...rbacv1.PolicyRule) profile.Grant {
		return profile.Grant{Role: &rbacv1.Role{Rules: rules}}
	}
	clusterRole := func(inside bool, rules ...rbacv1.PolicyRule) profile.Grant {
		return profile.Grant{Inside: inside, ClusterRole: &rbacv1.ClusterRole{Rules: rules}}
	}
	leases := rule([]string{"coordination.k8s.io"}, []string{"leases"}, "get", "create", "update")
	named := leases
	named.ResourceNames = []string{"landing"}
	for name, tc := range map[string]struct {
		grant profile.Grant
		want  []rbacv1.PolicyRule
	}{
		"kubebuilder's role": {
			role(rule([]string{""}, []string{"configmaps"}, "get"), leases, rule([]string{""}, []string{"events"}, "create")),
			[]rbacv1.PolicyRule{leases, rule([]string{""}, []string{"events"}, "create")},
		},
		"one rule for several": {
			role(rule([]string{"", "coordination.k8s.io"}, []string{"secrets", "leases"}, "get")),
			[]rbacv1.PolicyRule{rule([]string{"coordination.k8s.io"}, []string{"leases"}, "get")},
		},
		"every resource of the group": {role(rule([]string{"coordination.k8s.io"}, []string{"*"}, "*")), []rbacv1.PolicyRule{rule([]string{"coordination.k8s.io"}, []string{"leases"}, "*")}},
		"everything": {role(rule([]string{"*"}, []string{"*"}, "*")), []rbacv1.PolicyRule{
			rule([]string{"coordination.k8s.io"}, []string{"leases"}, "*"), rule([]string{""}, []string{"events"}, "*"),
			rule([]string{"events.k8s.io"}, []string{"events"}, "*"),
		}},
		"one Lease":                    {role(named), []rbacv1.PolicyRule{named}},
		"nothing of it":                {role(rule([]string{""}, []string{"secrets"}, "get")), nil},
		"a ClusterRole, in namespaces": {clusterRole(true, leases), []rbacv1.PolicyRule{leases}},
		"a ClusterRole, everywhere":    {clusterRole(false, leases), nil}, // it counts there already
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, ofElections([]profile.Grant{tc.grant})); diff != "" {
				t.Errorf("rules (-want +got):\n%s", diff)
			}
		})
	}
}
