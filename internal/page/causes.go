package page

import (
	"cmp"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/verdict"
)

// mostOpen is how many causes are unfolded to begin with.
const mostOpen = 2

// causes puts root causes first: what failed, each with what it blocks and with what failed
// by the very same. What explains most stands first. Beside them are what came to no
// conclusion, and what is blocked by nothing that the report has.
func causes(entries []*entry) (roots, unsure, orphans []*entry) {
	byDefect := map[string]*entry{}
	byID := map[string]*entry{}
	for _, e := range entries {
		if !verdict.Fails(e.Result.Verdict) {
			continue
		}
		e.elsewhere = true
		if known := byDefect[defect(e)]; known != nil && known.Result.Repeat == e.Result.Repeat {
			known.Same = append(known.Same, e)
			byID[e.Anchor] = known
			continue
		}
		if d := defect(e); d != "" {
			byDefect[d] = e
		}
		byID[e.Anchor] = e
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
		return cmp.Compare(len(b.Followers)+len(b.Same), len(a.Followers)+len(a.Same))
	})
	for _, e := range roots[:min(mostOpen, len(roots))] {
		e.Open = true
	}
	if len(roots) == 0 && len(unsure) > 0 {
		unsure[0].Open = true
	}
	return roots, unsure, orphans
}

// defect names what was done to what, where that alone made it fail; empty where a step
// did.
func defect(e *entry) string {
	evidence := e.Result.Evidence
	if evidence == nil || len(evidence.Violations) == 0 || evidence.Failure != "" {
		return ""
	}
	return evidence.Violations[0].Rule + " " + evidence.Violations[0].About
}
