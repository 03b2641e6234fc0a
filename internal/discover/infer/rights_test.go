package infer

import (
	"slices"
	"strings"
	"testing"

	"reconform.dev/reconform/internal/record/history"
)

// TestRole: with the role, the controller may do what it did. Otherwise a run says that it
// lacks rights.
func TestRole(t *testing.T) {
	const rbac = "rbac.authorization.k8s.io"
	for name, tc := range map[string]struct {
		request history.Request
		// want has group, resource and verbs of rules; none has a rule that must not be there.
		want []string
		none string
	}{
		"a child":            {history.Request{Verb: history.VerbCreate, Method: "POST", Group: "apps", Resource: "deployments"}, []string{"apps deployments create,delete,get,list,patch,update,watch"}, ""},
		"a status":           {history.Request{Verb: history.VerbUpdate, Method: "PUT", Group: "example.com", Resource: "shops", Subresource: "status", Name: "a"}, []string{"example.com shops/status get,patch,update"}, ""},
		"all of a kind":      {history.Request{Verb: history.VerbDelete, Method: "DELETE", Resource: "pods"}, []string{" pods delete,deletecollection,get,list"}, ""},
		"an eviction":        {history.Request{Verb: history.VerbCreate, Method: "POST", Resource: "pods", Subresource: "eviction", Name: "a"}, []string{" pods/eviction create,delete,get,patch,update"}, ""},
		"a token":            {history.Request{Verb: history.VerbCreate, Method: "POST", Resource: "serviceaccounts", Subresource: "token", Name: "a"}, []string{" serviceaccounts/token create,delete,get,patch,update"}, ""},
		"a command":          {history.Request{Verb: history.VerbGet, Method: "GET", Resource: "pods", Subresource: "exec", Name: "a"}, []string{" pods/exec create,get"}, ""},
		"lines of a Pod":     {history.Request{Verb: history.VerbGet, Method: "GET", Resource: "pods", Subresource: "log", Name: "a"}, []string{" pods/log get"}, ""},
		"a role":             {history.Request{Verb: history.VerbCreate, Method: "POST", Group: rbac, Resource: "roles"}, []string{rbac + " roles bind,create,delete,escalate,get,list,patch,update,watch"}, ""},
		"a binding":          {history.Request{Verb: history.VerbCreate, Method: "POST", Group: rbac, Resource: "rolebindings"}, []string{rbac + " rolebindings create,delete,get,list,patch,update,watch", rbac + " clusterroles bind,escalate"}, ""},
		"roles are watched":  {history.Request{Verb: history.VerbWatch, Method: "GET", Group: rbac, Resource: "roles"}, []string{rbac + " roles get,list,watch"}, rbac + " clusterroles"},
		"who has this token": {history.Request{Verb: history.VerbCreate, Method: "POST", Group: "authentication.k8s.io", Resource: "tokenreviews"}, []string{"authentication.k8s.io tokenreviews create"}, ""},
		"may somebody do it": {history.Request{Verb: history.VerbCreate, Method: "POST", Group: "authorization.k8s.io", Resource: "subjectaccessreviews"}, []string{"authorization.k8s.io subjectaccessreviews create"}, ""},
		"everybody may that": {history.Request{Verb: history.VerbCreate, Method: "POST", Group: "authorization.k8s.io", Resource: "selfsubjectaccessreviews"}, nil, "authorization.k8s.io"},
	} {
		r := &Record{Account: history.Account{Requests: []history.Request{tc.request}}}
		var rules []string
		for _, rule := range r.Role("shop").Rules {
			rules = append(rules, strings.Join([]string{rule.APIGroups[0], rule.Resources[0], strings.Join(rule.Verbs, ",")}, " "))
		}
		for _, want := range tc.want {
			if !slices.Contains(rules, want) {
				t.Errorf("%s: no rule %q in %q", name, want, rules)
			}
		}
		if tc.none != "" && slices.ContainsFunc(rules, func(rule string) bool { return strings.HasPrefix(rule, tc.none) }) {
			t.Errorf("%s: a rule about %s in %q", name, tc.none, rules)
		}
	}
}
