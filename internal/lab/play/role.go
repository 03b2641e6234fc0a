package play

import (
	"context"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"reconform.dev/reconform/internal/profile"
)

// role checks what the roles of a controller allow.
func role() play {
	return play{rules: []rule{{
		"role/narrow", "has roles that name each verb and each resource, and do not let it delete children", narrow,
	}}}
}

// narrow reads the roles. What they allow too much, no request shows.
func narrow(_ context.Context, s *stage) error {
	grants, err := s.profile.Grants()
	if err != nil {
		return fmt.Errorf("reading the roles: %w", err)
	}
	for _, grant := range grants {
		var name string
		var rules []rbacv1.PolicyRule
		if grant.ClusterRole != nil {
			name, rules = "ClusterRole "+grant.ClusterRole.Name, grant.ClusterRole.Rules
		} else {
			name, rules = "Role "+grant.Role.Name, grant.Role.Rules
		}
		for n := range rules {
			if much := tooMuch(&rules[n]); much != "" {
				return &unmet{found: fmt.Sprintf("%s lets it %s %s: %s", name, strings.Join(rules[n].Verbs, ", "), strings.Join(rules[n].Resources, ", "), much)}
			}
		}
	}
	return nil
}

// tooMuch says what a rule allows that a controller of WebApps does not need. It returns ""
// if that is nothing.
func tooMuch(rule *rbacv1.PolicyRule) string {
	for _, list := range [][]string{rule.Verbs, rule.Resources, rule.APIGroups} {
		if slices.Contains(list, "*") {
			return "* is whatever there is, and whatever will be"
		}
	}
	if !profile.Lists(rule.Resources, "deployments") && !profile.Lists(rule.Resources, "services") {
		return ""
	}
	for _, verb := range []string{"delete", "deletecollection"} {
		if profile.Lists(rule.Verbs, verb) {
			return "it deletes no child, the garbage collector does"
		}
	}
	return ""
}
