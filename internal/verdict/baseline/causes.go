package baseline

import (
	"regexp"
	"slices"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// causeID matches the ID of a cause in the report of an exploration.
var causeID = regexp.MustCompile(`^EX-[0-9a-f]{8}$`)

// isCause says whether an ID is that of a cause in the report of an exploration, and not
// that of a requirement.
func isCause(id string) bool { return causeID.MatchString(id) }

// aboutCauses returns the known failures that are about causes of an exploration.
func aboutCauses(failures []v1alpha1.KnownFailure) []v1alpha1.KnownFailure {
	return slices.DeleteFunc(slices.Clone(failures), func(f v1alpha1.KnownFailure) bool { return !isCause(f.ID) })
}

// Requirements returns the known failures that are about requirements.
func Requirements(failures []v1alpha1.KnownFailure) []v1alpha1.KnownFailure {
	return slices.DeleteFunc(slices.Clone(failures), func(f v1alpha1.KnownFailure) bool { return isCause(f.ID) })
}

// SettleCauses says what an exploration shows about known failures, on this day. One that
// did not come is mended only if everything was explored, and nothing came once only.
func SettleCauses(failures []v1alpha1.KnownFailure, r *v1alpha1.ExploreReport, today time.Time) []v1alpha1.KnownResult {
	whole := r.Cut == "" && r.Shard == nil && len(r.Sorts) == 0 && len(r.Disturbances) == 0 && len(r.Left) == 0 && r.Plans.Failed == 0 &&
		len(r.Unconfirmed) == 0 && r.Verdict != v1alpha1.ExploredInconclusive
	var settled []v1alpha1.KnownResult
	for _, f := range aboutCauses(failures) {
		state := v1alpha1.KnownNotSeen
		switch {
		case slices.ContainsFunc(r.Causes, func(c v1alpha1.ExploredCause) bool { return c.ID == f.ID }):
			state = v1alpha1.KnownFails
			if today.Format(time.DateOnly) > f.Expires {
				state = v1alpha1.KnownExpired
			}
		case whole:
			state = v1alpha1.KnownMended
		}
		settled = append(settled, v1alpha1.KnownResult{KnownFailure: f, State: state})
	}
	return settled
}

// OfCause returns the known failure that explains a cause. It returns nil if the cause is
// new, or if its last day is over.
func OfCause(c v1alpha1.ExploredCause, settled []v1alpha1.KnownResult) *v1alpha1.KnownResult {
	for i := range settled {
		if settled[i].ID == c.ID && settled[i].State == v1alpha1.KnownFails {
			return &settled[i]
		}
	}
	return nil
}

// NewCauses returns the causes that are not known.
func NewCauses(r *v1alpha1.ExploreReport) []v1alpha1.ExploredCause {
	return slices.DeleteFunc(slices.Clone(r.Causes), func(c v1alpha1.ExploredCause) bool { return OfCause(c, r.Known) != nil })
}

// Explored returns the verdict of an exploration in which known failures do not count.
// Without known failures it is the report's own verdict. If only known failures were found, and
// too little was explored, it is inconclusive.
func Explored(r *v1alpha1.ExploreReport) v1alpha1.ExploreVerdict {
	switch {
	case r.Verdict != v1alpha1.Diverges || len(NewCauses(r)) > 0:
		return r.Verdict
	case r.Reason != "":
		return v1alpha1.ExploredInconclusive
	default:
		return v1alpha1.Converges
	}
}
