package evidence

import "reconform.dev/reconform/conformance/api/v1alpha1"

// NeverHappens says in words what an invariant forbids. It returns "" for a rule that this
// version does not know.
func NeverHappens(rule string) string {
	switch rule {
	case v1alpha1.RuleNotLeader:
		return "a replica writes without holding the Lease"
	case v1alpha1.RuleForeignObject:
		return "it writes to an object of somebody else"
	case v1alpha1.RuleChildReplaced:
		return "a child is deleted and created again while its owner exists"
	case v1alpha1.RuleGenerationRaised:
		return "it changes the spec of its own objects, which belongs to the user"
	case v1alpha1.RuleForbidden:
		return "it lacks a right that it needs"
	case v1alpha1.RuleCrashed:
		return "its process ends by itself"
	case v1alpha1.RuleHotLoop:
		return "a request is repeated without pauses"
	case v1alpha1.RuleRestless:
		return "an object is written again and again, and only times in it change"
	case v1alpha1.RuleDisowned:
		return "a child loses its owner reference while its owner exists"
	}
	return ""
}
