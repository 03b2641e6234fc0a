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

// bindTo is the manifest of a ClusterRoleBinding to a Group or a User.
func bindTo(role, kind, name string) string {
	return fmt.Sprintf(`---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: to-%s}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %s}
subjects: [{kind: %s, name: %q, apiGroup: rbac.authorization.k8s.io}]
`, strings.ToLower(kind), role, kind, name)
}

// labelled is the manifest of a ClusterRole.
func labelled(name, label, value string) string {
	return fmt.Sprintf(`---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: %s, labels: {%s: %q}}
rules: [{apiGroups: [apps], resources: [deployments], verbs: [get]}]
`, name, label, value)
}

// aggregated is the manifest of a ClusterRole that is made of those with a label; it may
// have one itself.
func aggregated(name, label, value string, own ...string) string {
	labels := ""
	if len(own) > 0 {
		labels = fmt.Sprintf(", labels: {%s: %q}", own[0], own[1])
	}
	return fmt.Sprintf(`---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: %s%s}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {%s: %q}}]}
rules: []
`, name, labels, label, value)
}

// scaffoldRole is one of the scaffold's ClusterRoles once more.
func scaffoldRole(name string) string {
	return "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: " + name + "}\n"
}

const deployment = `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: manager, namespace: site-system}
spec: {template: {spec: {serviceAccountName: manager}}}
`

// bundle is the manifest of an operator for the Operator Lifecycle Manager.
const bundle = `apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: site.v1}
spec:
  installModes: [{type: AllNamespaces, supported: false}]
  install:
    strategy: deployment
    spec:
      clusterPermissions:
      - {serviceAccountName: manager, rules: [{apiGroups: [apps], resources: [deployments], verbs: [get]}]}
      - {serviceAccountName: reader, rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}
      permissions:
      - {serviceAccountName: manager, rules: [{apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get]}]}
      deployments:
      - {name: manager, spec: {template: {spec: {serviceAccountName: manager}}}}
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
		"a binding without a namespace":  {scaffold + bind("RoleBinding", "election", "Role", "leader-election-role", "manager"), "", "Role leader-election-role"},
		"a ClusterRole in one namespace": {scaffold + bind("RoleBinding", "site-system/manager", "ClusterRole", "manager-role", "manager"), "", "ClusterRole manager-role inside"},
		"a ClusterRole where it serves":  {scaffold + bind("RoleBinding", "sites/manager", "ClusterRole", "manager-role", "manager"), "", "ClusterRole manager-role inside and where it serves"},
		"what every cluster has":         {scaffold + bind("ClusterRoleBinding", "all", "ClusterRole", "cluster-admin", "manager"), "", "ClusterRole cluster-admin built in"},
		"rights that no subject can use": {scaffold + bound + bind("RoleBinding", "kube-system/auth", "Role", "extension-apiserver-authentication-reader", "manager"), "", "ClusterRole manager-role"},
		"another account's":              {scaffold + bound + bind("ClusterRoleBinding", "admin", "ClusterRole", "site-admin-role", "admin"), "manager", "ClusterRole manager-role"},
		"an account that nothing names":  {scaffold + bound, "site", `spec.install.serviceAccount: no binding in the RBAC manifests is for ServiceAccount "site"; bound are: site-system/manager`},
		"a role that is not in them":     {scaffold + bind("ClusterRoleBinding", "manager", "ClusterRole", "manager", "manager"), "", "ClusterRoleBinding manager binds ClusterRole manager, which is not in them; there is ClusterRole manager-role: if a kustomization adds the rest of the name, such as config/default, give that one"},
		"a role with the prefix of a kustomization": {
			scaffold + bind("ClusterRoleBinding", "manager", "ClusterRole", "site-operator-manager-role", "manager"), "",
			"ClusterRoleBinding manager binds ClusterRole site-operator-manager-role, which is not in them; there is ClusterRole manager-role: if a kustomization adds the rest of the name, such as config/default, give that one",
		},
		"a role in a file that was not given": {scaffold + bind("ClusterRoleBinding", "all", "ClusterRole", "metrics-auth", "manager"), "", "ClusterRoleBinding all binds ClusterRole metrics-auth, which is not in them; add the file that has it"},
		"a Role that is somewhere else":       {scaffold + bind("RoleBinding", "other/election", "Role", "leader-election-role", "manager"), "", "RoleBinding election binds Role leader-election-role, which is not in them; there is one in the namespace site-system, and the binding is in other: correct one of them"},
		"bindings for users and no other":     {scaffold + strings.Replace(bound, "ServiceAccount", "User", 1), "", `no binding in them is for a ServiceAccount; they are for: User manager`},
		"an account by its namespace":         {scaffold + bound, "site-system/manager", "ClusterRole manager-role"},
		"another namespace's":                 {scaffold + bound, "other/manager", `spec.install.serviceAccount: no binding in the RBAC manifests is for ServiceAccount "other/manager"; bound are: site-system/manager`},
		"one name in two namespaces": {
			scaffold + bound + strings.NewReplacer("site-system", "other", "metadata: {name: manager", "metadata: {name: other").Replace(bound), "manager",
			"spec.install.serviceAccount: manager is in several namespaces: name one of other/manager, site-system/manager",
		},
		"the account of the only Deployment": {scaffold + bound + bind("ClusterRoleBinding", "reader", "ClusterRole", "site-viewer-role", "reader") + deployment, "", "ClusterRole manager-role"},
		"all accounts":                       {scaffold + bound + bindTo("site-viewer-role", "Group", "system:serviceaccounts"), "", "ClusterRole manager-role, ClusterRole site-viewer-role"},
		"all of its namespace":               {scaffold + bound + bindTo("site-viewer-role", "Group", "system:serviceaccounts:site-system"), "", "ClusterRole manager-role, ClusterRole site-viewer-role"},
		"all of another namespace":           {scaffold + bound + bindTo("site-viewer-role", "Group", "system:serviceaccounts:other"), "", "ClusterRole manager-role"},
		"everybody":                          {scaffold + bindTo("manager-role", "Group", "system:authenticated"), "", "ClusterRole manager-role"},
		"administrators":                     {scaffold + bindTo("manager-role", "Group", "system:masters"), "", "no binding in them is for a ServiceAccount; they are for: Group system:masters"},
		"the account as a user":              {scaffold + bindTo("manager-role", "User", "system:serviceaccount:site-system:manager"), "", "ClusterRole manager-role"},
		"its group and its name":             {scaffold + bindTo("manager-role", "Group", "system:serviceaccounts:site-system") + deployment, "manager", "ClusterRole manager-role"},
		"a group of a namespace, for an account without one": {
			scaffold + homeless(bound) + bindTo("site-viewer-role", "Group", "system:serviceaccounts:monitoring"), "", "ClusterRole manager-role",
		},
		"all accounts, for an account without a namespace": {
			scaffold + homeless(bound) + bindTo("site-viewer-role", "Group", "system:serviceaccounts"), "", "ClusterRole manager-role, ClusterRole site-viewer-role",
		},
		"a group of the namespace that the profile names": {
			scaffold + homeless(bound) + bindTo("site-viewer-role", "Group", "system:serviceaccounts:monitoring"), "monitoring/manager", "ClusterRole manager-role, ClusterRole site-viewer-role",
		},
		"a group of a namespace, and nothing else": {
			scaffold + homeless(deployment) + bindTo("manager-role", "Group", "system:serviceaccounts:site-system"), "",
			`they bind the accounts of namespace site-system, and do not say in which namespace ServiceAccount "manager" is: name it in spec.install.serviceAccount, as site-system/manager`,
		},
		"a group of a namespace, and the account that the profile names": {
			scaffold + bindTo("manager-role", "Group", "system:serviceaccounts:site-system"), "site-system/site", "ClusterRole manager-role",
		},
		"a bundle":                    {bundle, "", "ClusterRole site.v1-cluster-0, Role site.v1-namespaced-0"},
		"another account of a bundle": {bundle, "reader", "ClusterRole site.v1-cluster-1"},
		"a bundle for all namespaces": {strings.Replace(bundle, "false", "true", 1), "", "ClusterRole site.v1-cluster-0, ClusterRole site.v1-namespaced-0"},
		"a bundle with a role of users beside": {
			bundle + scaffoldRole("metrics-reader"), "", "ClusterRole site.v1-cluster-0, Role site.v1-namespaced-0",
		},
		"a bundle before it has rights": {
			bundle[:strings.Index(bundle, "    spec:\n")] + scaffoldRole("manager-role"), "", "ClusterRole manager-role",
		},
		"a bundle with a rule that is none": {
			strings.Replace(bundle, "verbs: [get]", "verbs: get", 1), "",
			"spec.install.rbac[0]: DIR/rbac.yaml:10: ClusterRole site.v1-cluster-0: rules[0].verbs: is \"get\", a string; it must be a list: write [get]",
		},
		"aggregated": {
			aggregated("own", "for", "own") + labelled("a", "for", "own") + labelled("b", "for", "others") + bind("ClusterRoleBinding", "own", "ClusterRole", "own", "manager"), "",
			"ClusterRole a",
		},
		"aggregated of aggregated, in a circle": {
			aggregated("own", "for", "own") + labelled("a", "for", "own") + aggregated("more", "for", "more", "for", "own") + labelled("b", "for", "more") +
				aggregated("again", "for", "own", "for", "own") + bind("ClusterRoleBinding", "own", "ClusterRole", "own", "manager"), "",
			"ClusterRole a, ClusterRole b",
		},
		"aggregated in its namespace": {
			aggregated("own", "for", "own") + labelled("a", "for", "own") + bind("RoleBinding", "site-system/own", "ClusterRole", "own", "manager"), "",
			"ClusterRole a inside",
		},
		"aggregated of what every cluster has": {
			aggregated("own", "rbac.authorization.k8s.io/aggregate-to-edit", "true") + labelled("a", "rbac.authorization.k8s.io/aggregate-to-view", "true") +
				bind("ClusterRoleBinding", "own", "ClusterRole", "own", "manager"), "",
			"ClusterRole view built in, ClusterRole a, ClusterRole system:aggregate-to-edit built in",
		},
		"aggregated to what every cluster has": {
			labelled("a", "rbac.authorization.k8s.io/aggregate-to-view", "true") + labelled("b", "rbac.authorization.k8s.io/aggregate-to-admin", "true") +
				bind("ClusterRoleBinding", "own", "ClusterRole", "edit", "manager"), "",
			"ClusterRole edit built in, ClusterRole a",
		},
		"aggregated of nothing": {
			aggregated("own", "for", "own") + bind("ClusterRoleBinding", "own", "ClusterRole", "own", "manager"), "",
			"ClusterRoleBinding own binds ClusterRole own, which is aggregated, and no ClusterRole in them has the labels that it asks for: name the manifests with these too",
		},
		"aggregated of nothing, without a binding": {
			aggregated("own", "for", "own"), "",
			"their ClusterRoles are aggregated, and no ClusterRole in them has the labels that they ask for: name the manifests with these too",
		},
		"nothing but what every cluster has": {bind("ClusterRoleBinding", "all", "ClusterRole", "cluster-admin", "manager"), "", "ClusterRole cluster-admin built in"},
		"a binding of nothing else":          {bind("ClusterRoleBinding", "all", "ClusterRole", "own", "manager"), "", "no ClusterRole and no Role in them; they have: rbac.authorization.k8s.io/v1 ClusterRoleBinding"},
		"a Role in all namespaces": {
			scaffold + bind("ClusterRoleBinding", "all", "Role", "leader-election-role", "manager"), "",
			"ClusterRoleBinding all binds Role leader-election-role, and a cluster refuses that: bind a ClusterRole, or write a RoleBinding",
		},
		"the Role of the binding's namespace, and not one without": {
			"apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: election}\n---\n" +
				"apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: election, namespace: site-system}\n" +
				bind("RoleBinding", "site-system/election", "Role", "election", "manager"), "",
			"Role site-system/election",
		},
		"the accounts of another namespace only": {
			scaffold + bindTo("manager-role", "Group", "system:serviceaccounts:other") + deployment, "",
			`no role in them is for ServiceAccount "site-system/manager", and without rights the controller cannot work: the bindings are for Group system:serviceaccounts:other`,
		},
		"the former name of the account's field": {
			scaffold + bound + bind("ClusterRoleBinding", "reader", "ClusterRole", "site-viewer-role", "reader") +
				strings.Replace(deployment, "serviceAccountName", "serviceAccount", 1), "",
			"ClusterRole manager-role",
		},
		"a role that is there twice": {scaffold + bound + scaffoldRole("manager-role"), "", "ClusterRole manager-role"},
		"two roles of one name": {
			scaffold + bound + labelled("manager-role", "a", "b"), "",
			"spec.install.rbac[0]: ClusterRole manager-role is there twice (DIR/rbac.yaml:1 and DIR/rbac.yaml:23), and they differ: in a cluster, the second replaces the first; remove one of them",
		},
		"two bindings of one name": {
			scaffold + bound + bind("ClusterRoleBinding", "manager", "ClusterRole", "site-viewer-role", "manager"), "",
			"spec.install.rbac[0]: ClusterRoleBinding manager is there twice (DIR/rbac.yaml:17 and DIR/rbac.yaml:23), and they differ: in a cluster, the second replaces the first; remove one of them",
		},
		"all roles, one of them aggregated": {aggregated("own", "for", "own") + labelled("a", "for", "own"), "", "ClusterRole a"},
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
				_, text, _ := strings.Cut(err.Error(), ": ")
				got = []string{strings.TrimPrefix(strings.ReplaceAll(text, p.Dir, "DIR"), "spec.install.rbac: ")}
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("granted (-want +got):\n%s", diff)
			}
		})
	}
}

// homeless manifests do not say a namespace.
func homeless(manifests string) string {
	return strings.NewReplacer(", namespace: site-system", "", `, namespace: ""`, "").Replace(manifests)
}

func describe(grant Grant) string {
	if grant.Role != nil && grant.Role.Name == "election" {
		return "Role " + grant.Role.Namespace + "/" + grant.Role.Name
	}
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
