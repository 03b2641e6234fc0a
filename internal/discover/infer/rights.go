package infer

import (
	"net/http"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/internal/record/history"
)

// Role returns a role with the rights that the requests needed. For a resource that was
// written it allows all writes, because a short look does not show all of them.
func (r *Record) Role(name string) *rbacv1.ClusterRole {
	type resource struct{ group, name string }
	verbs := map[resource]map[string]bool{}
	for _, q := range r.Account.Requests {
		if q.Resource == "" || strings.HasSuffix(q.Group, "authorization.k8s.io") || strings.HasSuffix(q.Group, "authentication.k8s.io") {
			continue
		}
		on := resource{q.Group, q.Resource}
		if q.Subresource != "" {
			on.name += "/" + q.Subresource
		}
		if verbs[on] == nil {
			verbs[on] = map[string]bool{}
		}
		for _, verb := range verbsOf(q) {
			verbs[on][verb] = true
		}
	}
	role := &rbacv1.ClusterRole{
		TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
	}
	for on, seen := range verbs {
		role.Rules = append(role.Rules, rbacv1.PolicyRule{APIGroups: []string{on.group}, Resources: []string{on.name}, Verbs: sorted(seen)})
	}
	slices.SortFunc(role.Rules, func(a, b rbacv1.PolicyRule) int {
		return strings.Compare(a.APIGroups[0]+"/"+a.Resources[0], b.APIGroups[0]+"/"+b.Resources[0])
	})
	return role
}

// verbsOf returns the verbs that a role needs to allow a request.
func verbsOf(q history.Request) []string {
	switch {
	case q.Verb == history.VerbList || q.Verb == history.VerbWatch:
		return []string{"get", "list", "watch"}
	case q.Method == http.MethodGet:
		return []string{"get"}
	case q.Subresource != "":
		return []string{"get", "update", "patch"}
	case q.Verb == history.VerbDelete && q.Name == "":
		return []string{"get", "list", "delete", "deletecollection"}
	case q.Resource == "events":
		return []string{"create", "patch", "update"}
	default:
		return []string{"get", "list", "watch", "create", "update", "patch", "delete"}
	}
}
