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
	add := func(on resource, needed ...string) {
		if verbs[on] == nil {
			verbs[on] = map[string]bool{}
		}
		for _, verb := range needed {
			verbs[on][verb] = true
		}
	}
	for _, q := range r.Account.Requests {
		if q.Resource == "" || isReview(q) && strings.HasPrefix(q.Resource, "self") {
			continue // everybody may ask about itself
		}
		on := resource{q.Group, q.Resource}
		if q.Subresource != "" {
			on.name += "/" + q.Subresource
		}
		add(on, verbsOf(q)...)
		// A controller that writes roles or bindings may grant only what it may do
		// itself, or needs these.
		if q.Group == rbacv1.GroupName && q.Method != http.MethodGet {
			add(resource{q.Group, "roles"}, "bind", "escalate")
			add(resource{q.Group, "clusterroles"}, "bind", "escalate")
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

// isReview tells whether a request asks who somebody is, or what somebody may do. Those who serve
// their metrics to a token ask that.
func isReview(q history.Request) bool {
	return q.Group == "authorization.k8s.io" || q.Group == "authentication.k8s.io"
}

// verbsOf returns the verbs that a role needs to allow a request.
func verbsOf(q history.Request) []string {
	switch {
	case isReview(q):
		return []string{"create"}
	case q.Verb == history.VerbList || q.Verb == history.VerbWatch:
		return []string{"get", "list", "watch"}
	case q.IntoPod() && slices.Contains([]string{"attach", "exec", "portforward"}, q.Subresource):
		return []string{"get", "create"} // since v1.35 a GET that becomes a stream needs both
	case q.Method == http.MethodGet:
		return []string{"get"}
	case q.Subresource != "" && (q.Method == http.MethodPost || q.Method == http.MethodDelete): // an eviction, a token, a proxy
		return []string{"get", "create", "update", "patch", "delete"}
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
