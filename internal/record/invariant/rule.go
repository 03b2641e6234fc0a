package invariant

import "reconform.dev/reconform/conformance/api/v1alpha1"

// Rule is one thing that must never happen.
type Rule interface {
	// Name of the rule, as in violations, and in scenarios that provoke one.
	Name() string
	// Must says in one sentence what has to hold.
	Must() string
	// Hint says where to look in a controller that breaks it.
	Hint() string
	// Broken finds the violations in what was recorded.
	Broken(*View) []v1alpha1.Violation
}

// allRules returns all rules.
func allRules() []Rule {
	return []Rule{notLeader{}, foreignObject{}, childReplaced{}, generationRaised{}, forbidden{}, crashed{}, hotLoop{}, restless{}, disowned{}}
}

// Names returns the names of all rules.
func Names() []string {
	var names []string
	for _, rule := range allRules() {
		names = append(names, rule.Name())
	}
	return names
}

// Hint says where to look in a controller that breaks a rule. It returns "" if there is no
// rule of this name.
func Hint(name string) string { return said(name, Rule.Hint) }

// Must says what has to hold by a rule. It returns "" if there is no rule of this name.
func Must(name string) string { return said(name, Rule.Must) }

func said(name string, of func(Rule) string) string {
	for _, rule := range allRules() {
		if rule.Name() == name {
			return of(rule)
		}
	}
	return ""
}

// Check checks a record against every rule.
func Check(record *View) []v1alpha1.Violation {
	var violations []v1alpha1.Violation
	for _, rule := range allRules() {
		violations = append(violations, rule.Broken(record.without(rule))...)
	}
	return violations
}
