package merge

import (
	"fmt"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/verdict"
)

// look is what one part says about a row by itself, whatever else failed in that part.
type look struct {
	verdict.Judged
	// Cut is true if the part was cut short before it judged the row.
	Cut bool
	// Elsewhere is the result of another part in which the row passed, if it failed in this one.
	Elsewhere *v1alpha1.Result
}

// looksAt returns the looks at one row, in the order of the parts.
func looksAt(requirement catalogue.Requirement, repeat int, parts []Part) []look {
	var looks []look
	for n, p := range parts {
		for _, result := range p.Report.Results {
			if result.ID != requirement.ID || result.Repeat != repeat {
				continue
			}
			result.Part = n + 1
			cut := p.Report.CutShort
			looks = append(looks, look{
				Judged: verdict.Unsettled(requirement, result),
				Cut:    cut != nil && slices.Contains(cut.NotJudged, result.ID),
			})
		}
	}
	return looks
}

// together combines several looks at one row: it returns the look that says most, or the
// first of several such looks. If the row failed in it and passed in another part, Elsewhere
// is the result of that part.
func together(looks []look) look {
	best := looks[0]
	for _, other := range looks[1:] {
		if says(other) > says(best) {
			best = other
		}
	}
	if best.Result.Verdict != v1alpha1.Failed {
		return best
	}
	for _, other := range looks {
		if other.Result.Verdict == v1alpha1.Passed {
			best.Elsewhere = other.Result
			return best
		}
	}
	return best
}

// says returns how much a look says: nothing if the row was left out or never reached,
// little if it came to no conclusion. A failure says more than a pass.
func says(l look) int {
	switch l.Result.Verdict {
	case v1alpha1.Flaky:
		return 6
	case v1alpha1.Failed:
		return 5
	case v1alpha1.Passed:
		return 4
	case v1alpha1.NotExercised:
		return 3
	case v1alpha1.ResultInconclusive:
		return 2
	case v1alpha1.Blocked: // the controller did not start
		return 1
	default:
		return 0
	}
}

// conclude returns the result of a row after it was settled. If the row passed in another
// part, and still fails in this one, it is flaky. Settling may have made it inconclusive,
// because only an invariant was broken that another requirement judges. Then the result of
// the other part counts.
func (l look) conclude() v1alpha1.Result {
	switch {
	case l.Elsewhere == nil:
	case l.Result.Verdict == v1alpha1.Failed:
		l.Result.Verdict = v1alpha1.Flaky
		l.Result.Reason += fmt.Sprintf("; it passed in part %d", l.Elsewhere.Part)
	case l.Result.Verdict == v1alpha1.ResultInconclusive:
		return *l.Elsewhere
	}
	return *l.Result
}

// rows returns the rows of all parts, settled again: a failure in one shard may be the
// cause of a failure in another one. It also returns the IDs of the rows that no part
// judged because it was cut short.
func rows(parts []Part, all []catalogue.Requirement) (results []v1alpha1.Result, cut []string) {
	repeats := 0
	for _, p := range parts {
		for _, r := range p.Report.Results {
			repeats = max(repeats, r.Repeat)
		}
	}
	for repeat := range repeats + 1 {
		var round []verdict.Judged
		var rows []look
		for _, requirement := range all {
			looks := looksAt(requirement, repeat, parts)
			if len(looks) == 0 {
				continue
			}
			row := together(looks)
			round, rows = append(round, row.Judged), append(rows, row)
			if row.Cut && row.Result.Verdict == v1alpha1.Skipped && !slices.Contains(cut, requirement.ID) {
				cut = append(cut, requirement.ID)
			}
		}
		verdict.Settle(round)
		for _, row := range rows {
			results = append(results, row.conclude())
		}
	}
	place := map[string]int{}
	for n, requirement := range all {
		place[requirement.ID] = n
	}
	slices.SortStableFunc(results, func(a, b v1alpha1.Result) int { return place[a.ID] - place[b.ID] })
	return results, cut
}
