package seen

import (
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// Unused returns the exemptions of the profile that no request matched.
func (r *Recorded) Unused() []v1alpha1.Exemption {
	var unused []v1alpha1.Exemption
	for _, exemption := range r.Profile.Spec.Claims.Exempt {
		covered := func(request history.Request) bool { return history.Covers(exemption, request) }
		if !slices.ContainsFunc(r.Accounts, func(a history.Account) bool { return slices.ContainsFunc(a.Requests, covered) }) {
			unused = append(unused, exemption)
		}
	}
	return unused
}
