package page

import (
	"cmp"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/verdict"
)

// mostOpen is how many causes are unfolded at first.
const mostOpen = 1

// causes puts root causes first. Each one has the entries that it blocks, and the entries
// that failed by the same defect and nothing else before that. First comes an entry whose
// requirement exists to find an invariant that was broken. Then come the entries that
// explain most. causes also returns the entries that came to no conclusion, and the
// blocked entries whose cause is not in the report.
func causes(entries []*entry) (roots, unsure, orphans []*entry) {
	type way struct {
		defect string
		repeat int
	}
	keepers := map[way]*entry{}
	for _, e := range entries {
		known := way{defect(e), e.Result.Repeat}
		if verdict.Fails(e.Result.Verdict) && keeps(e) && keepers[known] == nil {
			keepers[known] = e
		}
	}
	byID := map[string]*entry{}
	for _, e := range entries {
		if !verdict.Fails(e.Result.Verdict) {
			continue
		}
		e.elsewhere = true
		byID[e.Anchor] = e
		if keeper := keepers[way{defect(e), e.Result.Repeat}]; keeper != nil && keeper != e && keeps(e) {
			keeper.Same = append(keeper.Same, e)
			byID[e.Anchor] = keeper
			continue
		}
		roots = append(roots, e)
	}
	for _, e := range entries {
		switch e.Result.Verdict {
		case v1alpha1.Blocked:
			e.elsewhere = true
			if root := byID[anchor(e.Result.BlockedBy, e.Result.Repeat)]; root != nil {
				root.Followers = append(root.Followers, e)
			} else {
				orphans = append(orphans, e)
			}
		case v1alpha1.ResultInconclusive:
			e.elsewhere = true
			unsure = append(unsure, e)
		}
	}
	slices.SortStableFunc(roots, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(number(b.home), number(a.home)), cmp.Compare(b.Explains(), a.Explains()))
	})
	for _, e := range roots[:min(mostOpen, len(roots))] {
		e.Open = true
	}
	if len(roots) == 0 && len(unsure) > 0 {
		unsure[0].Open = true
	}
	return roots, unsure, orphans
}

// defect names the rule that an entry broke, and what it was about. It returns "" if the
// entry broke no rule.
func defect(e *entry) string {
	if evidence := e.Result.Evidence; evidence != nil && len(evidence.Violations) > 0 {
		return evidence.Violations[0].Rule + " " + evidence.Violations[0].About
	}
	return ""
}

// keeps says whether a defect counts for this entry: then the reason begins with it.
func keeps(e *entry) bool {
	return defect(e) != "" && strings.HasPrefix(e.Result.Reason, e.Result.Evidence.Violations[0].Rule+": ")
}
