package snapshot

import (
	"maps"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"reconform.dev/reconform/internal/profile"
)

// defaulted returns the beginning of the keys of those objects whose spec a webhook of the
// controller fills in: the objects of the primary resource. It returns "" if there is no
// such webhook. While the controller is down, or its webhook is cut off, nothing is filled
// in.
func defaulted(p *profile.Profile) (string, error) {
	if len(p.Spec.Install.Webhooks) == 0 {
		return "", nil
	}
	configurations, err := p.Webhooks()
	if err != nil {
		return "", err
	}
	primary := p.Spec.Contract.Resource
	fits := func(list []string, one string) bool {
		return slices.ContainsFunc(list, func(each string) bool { return each == one || strings.HasPrefix(each, "*") })
	}
	for _, configuration := range configurations {
		mutating, is := configuration.(*admissionregistrationv1.MutatingWebhookConfiguration)
		if !is {
			continue
		}
		for _, webhook := range mutating.Webhooks {
			if slices.ContainsFunc(webhook.Rules, func(rule admissionregistrationv1.RuleWithOperations) bool {
				return fits(rule.APIGroups, primary.Group) && fits(rule.Resources, primary.Plural)
			}) {
				return contract(p)[0] + " ", nil
			}
		}
	}
	return "", nil
}

// withCommonSpec returns two objects without the fields that only one of them has in its
// spec. The fields that both have stay, even if their values differ.
func withCommonSpec(was, is any) (any, any) {
	before, _ := was.(map[string]any)
	after, _ := is.(map[string]any)
	before, after = maps.Clone(before), maps.Clone(after)
	if before["spec"] != nil && after["spec"] != nil {
		before["spec"], after["spec"] = common(before["spec"], after["spec"])
	}
	return before, after
}

// common returns the common parts of two values: their maps then have the same keys. Lists
// of the same length are compared entry by entry.
func common(was, is any) (any, any) {
	if before, after, both := lists(was, is); both {
		first, second := make([]any, len(before)), make([]any, len(after))
		for i := range before {
			first[i], second[i] = common(before[i], after[i])
		}
		return first, second
	}
	before, mapped := was.(map[string]any)
	after, both := is.(map[string]any)
	if !mapped || !both {
		return was, is
	}
	first, second := map[string]any{}, map[string]any{}
	for key := range before {
		if _, there := after[key]; there {
			first[key], second[key] = common(before[key], after[key])
		}
	}
	return first, second
}

// lists returns two lists. It returns false if the values are not lists of one length.
func lists(was, is any) (before, after []any, both bool) {
	before, first := was.([]any)
	after, second := is.([]any)
	return before, after, first && second && len(before) == len(after)
}
