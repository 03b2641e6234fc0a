package baseline

import (
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/verdict"
)

// Settle says what the results of a run show about known failures, on this day.
func Settle(failures []v1alpha1.KnownFailure, results []v1alpha1.Result, today time.Time) []v1alpha1.KnownResult {
	var settled []v1alpha1.KnownResult
	for _, f := range failures {
		settled = append(settled, v1alpha1.KnownResult{KnownFailure: f, State: state(f, results, today)})
	}
	return settled
}

// state says what results show about a known failure. It is mended only if each round in which
// the requirement was looked at shows that.
func state(f v1alpha1.KnownFailure, results []v1alpha1.Result, today time.Time) v1alpha1.KnownState {
	passed, others := 0, 0
	for _, r := range results {
		switch {
		case r.ID != f.ID:
		case verdict.Fails(r.Verdict) && today.Format(time.DateOnly) > f.Expires:
			return v1alpha1.KnownExpired
		case verdict.Fails(r.Verdict):
			return v1alpha1.KnownFails
		case r.Verdict == v1alpha1.Passed:
			passed++
		default:
			others++
		}
	}
	if passed > 0 && others == 0 {
		return v1alpha1.KnownMended
	}
	return v1alpha1.KnownNotSeen
}

// Of returns the known failure that explains a result. It returns nil if the failure is
// new, or if its last day is over.
func Of(result v1alpha1.Result, settled []v1alpha1.KnownResult) *v1alpha1.KnownResult {
	for i := range settled {
		if settled[i].ID == result.ID && settled[i].State == v1alpha1.KnownFails && verdict.Fails(result.Verdict) {
			return &settled[i]
		}
	}
	return nil
}

// Verdict returns the verdict on a report in which known failures do not count. CI uses it.
// Without known failures it is the report's own verdict. It is inconclusive if not
// everything was judged: the run was cut short, a shard has no report, or the controller
// did not start in one. It would be so, too, if nothing had failed.
func Verdict(report *v1alpha1.ConformanceReport) v1alpha1.Verdict {
	if report.Verdict != v1alpha1.NotConformant {
		return report.Verdict
	}
	inconclusive := report.CutShort != nil || report.NotStarted != nil
	for _, r := range report.Results {
		if verdict.Fails(r.Verdict) && Of(r, report.Known) == nil {
			return v1alpha1.NotConformant
		}
		inconclusive = inconclusive || r.Verdict == v1alpha1.ResultInconclusive
	}
	if inconclusive {
		return v1alpha1.Inconclusive
	}
	return v1alpha1.Partial
}
