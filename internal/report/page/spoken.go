package page

import (
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// spokenFor returns the requirements in the words of a report: with the kind that its controller
// serves in the place of WebApp. The report does not name that kind, but what its results say
// must hold does.
func spokenFor(r *v1alpha1.ConformanceReport, all []catalogue.Requirement) []catalogue.Requirement {
	of := &profile.Profile{}
	resource := &of.Spec.Contract.Resource
	for n := range r.Results {
		known, err := catalogue.Find(all, r.Results[n].ID)
		if err != nil {
			continue
		}
		kind, plural := profile.KindIn(known.Must, r.Results[n].Must)
		if resource.Kind == "" {
			resource.Kind = kind
		}
		if resource.Plural == "" {
			resource.Plural = strings.ToLower(plural)
		}
	}
	if resource.Kind == "" {
		return all
	}
	all = slices.Clone(all)
	for n := range all {
		all[n] = all[n].Spoken(of.InItsWords)
	}
	return all
}
