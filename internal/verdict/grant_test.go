package verdict

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

func TestCompareGrants(t *testing.T) {
	requests := []history.Request{
		{Method: "POST", Verb: "create", Group: "apps", Resource: "deployments", Name: "demo"},
		{Method: "PATCH", Verb: "create", Resource: "services", Name: "demo"}, // a server-side apply of an absent object
		{Method: "PUT", Verb: "update", Group: "apps.kubedojo.io", Resource: "webapps", Subresource: "status", Name: "demo"},
		{Method: "PUT", Verb: "update", Group: "coordination.k8s.io", Resource: "leases", Name: "lock"},
		{Method: "DELETE", Verb: "delete", Resource: "pods"},
		{Method: "GET", Verb: "list", Resource: "configmaps"},
		{Method: "POST", Verb: "other"},
	}
	rule := func(groups, resources, verbs []string, names ...string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: groups, Resources: resources, Verbs: verbs, ResourceNames: names}
	}
	type list = []string
	for name, tc := range map[string]struct {
		rule rbacv1.PolicyRule
		want v1alpha1.Rights
	}{
		"all used": {rule(list{"apps"}, list{"deployments"}, list{"get", "list", "create"}), v1alpha1.Rights{}},
		"some not": {
			rule(list{"apps"}, list{"deployments"}, list{"create", "update", "delete"}),
			v1alpha1.Rights{Unused: unused("Role/r: create,update,delete of deployments.apps", "update of deployments.apps", "delete of deployments.apps")},
		},
		"an apply creates too": {rule(list{""}, list{"services"}, list{"create", "patch"}), v1alpha1.Rights{}},
		"a subresource is another thing": {
			rule(list{"apps.kubedojo.io"}, list{"webapps", "webapps/status", "webapps/finalizers"}, list{"update"}),
			v1alpha1.Rights{Unused: unused("Role/r: update of webapps.apps.kubedojo.io,webapps/status.apps.kubedojo.io,webapps/finalizers.apps.kubedojo.io", "update of webapps.apps.kubedojo.io")},
		},
		"another object": {
			rule(list{"coordination.k8s.io"}, list{"leases"}, list{"update"}, "other"),
			v1alpha1.Rights{Unused: unused("Role/r: update of leases.coordination.k8s.io", "update of leases.coordination.k8s.io")},
		},
		"that object":            {rule(list{"coordination.k8s.io"}, list{"leases"}, list{"update"}, "other", "lock"), v1alpha1.Rights{}},
		"many at once":           {rule(list{""}, list{"pods"}, list{"deletecollection"}), v1alpha1.Rights{}},
		"reading is not judged":  {rule(list{""}, list{"nodes"}, list{"get", "list", "watch"}), v1alpha1.Rights{}},
		"a wildcard for verbs":   {rule(list{"apps"}, list{"deployments"}, list{"*"}), v1alpha1.Rights{Broad: list{"Role/r: * of deployments.apps: a wildcard in its verbs"}}},
		"a wildcard for all":     {rule(list{"*"}, list{"*"}, list{"*"}), v1alpha1.Rights{Broad: list{"Role/r: * of *.*: a wildcard in its verbs, a wildcard in its API groups, a wildcard in its resources"}}},
		"a subresource of all":   {rule(list{"apps"}, list{"*/scale"}, list{"update"}), v1alpha1.Rights{Broad: list{"Role/r: update of */scale.apps: a wildcard in its resources"}}},
		"secrets":                {rule(list{""}, list{"secrets"}, list{"get"}), v1alpha1.Rights{Broad: list{"Role/r: get of secrets: it reaches Secrets"}}},
		"secrets of another API": {rule(list{"example.com"}, list{"secrets"}, list{"get"}), v1alpha1.Rights{}},
		"every URL": {
			rbacv1.PolicyRule{NonResourceURLs: list{"*"}, Verbs: list{"get"}},
			v1alpha1.Rights{Broad: list{"Role/r: get of *: a wildcard in its URLs"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := compare([]grant{{Role: "Role/r", Rule: tc.rule}}, requests)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func unused(rule string, rights ...string) []v1alpha1.UnusedRights {
	return []v1alpha1.UnusedRights{{Rule: rule, Rights: rights}}
}

func TestGrants(t *testing.T) {
	get, list := rbacv1.PolicyRule{Verbs: []string{"get"}}, rbacv1.PolicyRule{Verbs: []string{"list"}}
	got := grantsOf([]profile.Grant{
		{ClusterRole: &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "wide"}, Rules: []rbacv1.PolicyRule{get, list}}},
		{Role: &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "narrow"}, Rules: []rbacv1.PolicyRule{get}}},
		{ClusterRole: &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "view"}}, BuiltIn: true},
		{ClusterRole: &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "cluster-admin"}}, BuiltIn: true},
	})
	all := []string{"*"}
	want := []grant{
		{"ClusterRole/wide", get},
		{"ClusterRole/wide", list},
		{"Role/narrow", get},
		{"ClusterRole/cluster-admin", rbacv1.PolicyRule{Verbs: all, APIGroups: all, Resources: all}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("grants (-want +got):\n%s", diff)
	}
}
