package profile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bind is the manifest of a binding; a name may have a namespace before a slash.
func bind(kind, name, roleKind, role, account string) string {
	namespace, after, found := strings.Cut(name, "/")
	if !found {
		namespace, after = "", name
	}
	return fmt.Sprintf(`---
apiVersion: rbac.authorization.k8s.io/v1
kind: %s
metadata: {name: %s, namespace: %q}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: %s, name: %s}
subjects: [{kind: ServiceAccount, name: %s, namespace: site-system}]
`, kind, after, namespace, roleKind, role, account)
}

// scaffold has what kubebuilder's config/rbac has: roles for users, too.
const scaffold = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: manager-role}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: site-admin-role}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: site-viewer-role}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: leader-election-role, namespace: site-system}
`

func TestGrants(t *testing.T) {
	bound := bind("ClusterRoleBinding", "manager", "ClusterRole", "manager-role", "manager")
	for name, tc := range map[string]struct {
		manifests, account string
		want               string // the grants, or the error
	}{
		"no bindings: all roles": {scaffold, "", "ClusterRole manager-role, ClusterRole site-admin-role, ClusterRole site-viewer-role, Role leader-election-role"},
		"the roles of users are nobody's": {
			scaffold + bound + bind("RoleBinding", "site-system/election", "Role", "leader-election-role", "manager"), "",
			"ClusterRole manager-role, Role leader-election-role",
		},
		"a binding without a namespace":   {scaffold + bind("RoleBinding", "election", "Role", "leader-election-role", "manager"), "", "Role leader-election-role"},
		"a ClusterRole in one namespace":  {scaffold + bind("RoleBinding", "site-system/manager", "ClusterRole", "manager-role", "manager"), "", "ClusterRole manager-role inside"},
		"a ClusterRole where it serves":   {scaffold + bind("RoleBinding", "sites/manager", "ClusterRole", "manager-role", "manager"), "", "ClusterRole manager-role inside and where it serves"},
		"what every cluster has":          {scaffold + bind("ClusterRoleBinding", "all", "ClusterRole", "cluster-admin", "manager"), "", "ClusterRole cluster-admin built in"},
		"rights that no subject can use":  {scaffold + bound + bind("RoleBinding", "kube-system/auth", "Role", "extension-apiserver-authentication-reader", "manager"), "", "ClusterRole manager-role"},
		"another account's":               {scaffold + bound + bind("ClusterRoleBinding", "admin", "ClusterRole", "site-admin-role", "admin"), "manager", "ClusterRole manager-role"},
		"an account that nothing names":   {scaffold + bound, "site", `no binding in them is for ServiceAccount "site"; bound are: manager`},
		"a role that is not in them":      {scaffold + bind("ClusterRoleBinding", "manager", "ClusterRole", "manager", "manager"), "", "ClusterRoleBinding manager binds ClusterRole manager, which is not in them"},
		"a Role that is somewhere else":   {scaffold + bind("RoleBinding", "other/election", "Role", "leader-election-role", "manager"), "", "RoleBinding election binds Role leader-election-role, which is not in them"},
		"bindings for users and no other": {scaffold + strings.Replace(bound, "ServiceAccount", "User", 1), "", `no binding in them is for ServiceAccount ""; bound are: none`},
	} {
		t.Run(name, func(t *testing.T) {
			p := inDir(t, map[string]string{"mine.yaml": minimal, "rbac.yaml": tc.manifests})
			p.Spec.Install.ServiceAccount = tc.account
			grants, err := p.Grants()
			var got []string
			for _, grant := range grants {
				got = append(got, describe(grant))
			}
			if err != nil {
				got = []string{strings.TrimPrefix(err.Error(), "reading the RBAC manifests of mine: ")}
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("granted (-want +got):\n%s", diff)
			}
		})
	}
}

func describe(grant Grant) string {
	if grant.Role != nil {
		return "Role " + grant.Role.Name
	}
	text := "ClusterRole " + grant.ClusterRole.Name
	if grant.Inside {
		text += " inside"
	}
	if grant.Served {
		text += " and where it serves"
	}
	if grant.BuiltIn {
		text += " built in"
	}
	return text
}
