package invariant

import (
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// without returns the record without the requests that may break the rule because the
// profile declares so. The rest of the record is the same.
func (r *View) without(rule Rule) *View {
	declared := slices.ContainsFunc(r.Contract.Exempt, func(e v1alpha1.Exemption) bool { return slices.Contains(e.Invariants, rule.Name()) })
	if !declared {
		return r
	}
	judged := *r
	judged.Requests, judged.Told, judged.All = r.judged(r.Requests, rule), r.judged(r.Told, rule), r.judged(r.All, rule)
	return &judged
}

func (r *View) judged(requests []*history.Request, rule Rule) []*history.Request {
	return slices.DeleteFunc(slices.Clone(requests), func(request *history.Request) bool {
		return history.ExemptsFrom(r.Contract.Exempt, rule.Name(), *request)
	})
}
