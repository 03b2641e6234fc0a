package verdict

import (
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// grant is one rule of a role.
type grant struct {
	// Role that contains the rule, by kind and name.
	Role string
	// Rule itself.
	Rule rbacv1.PolicyRule
}

// grantsOf returns the rules of all roles, in order. Of the roles that every cluster has,
// only the rule of cluster-admin is known: it allows everything.
func grantsOf(granted []profile.Grant) []grant {
	var grants []grant
	add := func(role string, rules []rbacv1.PolicyRule) {
		for _, rule := range rules {
			grants = append(grants, grant{role, rule})
		}
	}
	for _, g := range granted {
		if g.Role != nil {
			add("Role/"+g.Role.Name, g.Role.Rules)
			continue
		}
		rules := g.ClusterRole.Rules
		if g.BuiltIn && g.ClusterRole.Name == "cluster-admin" {
			all := []string{rbacv1.VerbAll}
			rules = []rbacv1.PolicyRule{{Verbs: all, APIGroups: all, Resources: all}}
		}
		add("ClusterRole/"+g.ClusterRole.Name, rules)
	}
	return grants
}

// compare compares the grants with all requests of a run.
func compare(grants []grant, requests []history.Request) v1alpha1.Rights {
	used := usesOf(requests)
	var found v1alpha1.Rights
	for _, grant := range grants {
		if broad := grant.broad(); broad != "" {
			found.Broad = append(found.Broad, grant.String()+": "+broad)
		}
		if unused := grant.unused(used); len(unused) > 0 {
			found.Unused = append(found.Unused, v1alpha1.UnusedRights{Rule: grant.String(), Rights: unused})
		}
	}
	return found
}

// String describes the rule in one line.
func (g grant) String() string {
	text := g.Role + ": " + strings.Join(g.Rule.Verbs, ",") + " of "
	if len(g.Rule.NonResourceURLs) > 0 {
		return text + strings.Join(g.Rule.NonResourceURLs, ",")
	}
	var resources []string
	for _, group := range g.Rule.APIGroups {
		for _, resource := range g.Rule.Resources {
			resources = append(resources, qualified(group, resource))
		}
	}
	return text + strings.Join(resources, ",")
}

// broad says what in a rule is too broad, or "".
func (g grant) broad() string {
	var found []string
	for _, part := range []struct {
		name   string
		values []string
		all    func(string) bool
	}{
		{"verbs", g.Rule.Verbs, func(v string) bool { return v == rbacv1.VerbAll }},
		{"API groups", g.Rule.APIGroups, func(v string) bool { return v == rbacv1.APIGroupAll }},
		// "*/scale" is the scale subresource of every resource.
		{"resources", g.Rule.Resources, func(v string) bool { return strings.HasPrefix(v, rbacv1.ResourceAll) }},
		{"URLs", g.Rule.NonResourceURLs, func(v string) bool { return v == rbacv1.NonResourceAll }},
	} {
		if slices.ContainsFunc(part.values, part.all) {
			found = append(found, "a wildcard in its "+part.name)
		}
	}
	if slices.Contains(g.Rule.APIGroups, "") && slices.Contains(g.Rule.Resources, "secrets") {
		found = append(found, "it reaches Secrets")
	}
	return strings.Join(found, ", ")
}

// unused returns the rights to write that were never used. Wildcards are reported as
// broad, not here.
func (g grant) unused(used map[use]map[string]bool) []string {
	var found []string
	for _, group := range g.Rule.APIGroups {
		for _, resource := range g.Rule.Resources {
			// Some clusters check this right at admission. It is never used in a request.
			if strings.HasSuffix(resource, "/finalizers") || group == rbacv1.APIGroupAll || strings.HasPrefix(resource, rbacv1.ResourceAll) {
				continue
			}
			for _, verb := range g.Rule.Verbs {
				if writes(verb) && !g.covers(used[use{verb, group, resource}]) {
					found = append(found, verb+" of "+qualified(group, resource))
				}
			}
		}
	}
	return found
}

// covers says whether the rule is about an object with one of these names.
func (g grant) covers(names map[string]bool) bool {
	if len(g.Rule.ResourceNames) == 0 {
		return len(names) > 0
	}
	return slices.ContainsFunc(g.Rule.ResourceNames, func(name string) bool { return names[name] })
}

func writes(verb string) bool {
	return slices.Contains([]string{"create", "update", "patch", "delete", "deletecollection"}, verb)
}

func qualified(group, resource string) string {
	if group == "" {
		return resource
	}
	return fmt.Sprintf("%s.%s", resource, group)
}
