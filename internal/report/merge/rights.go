package merge

import (
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/verdict"
)

// judgeWhole completes the results that need the requests of a whole run: the rights that
// no part used. If not everything was judged, it removes such a result.
func judgeWhole(parts []Part, all []catalogue.Requirement, merged *v1alpha1.ConformanceReport) {
	if slices.ContainsFunc(parts, func(p Part) bool { return p.Report.Shard == nil }) {
		return // each part was a whole run
	}
	for _, requirement := range all {
		if !requirement.WholeRun {
			continue
		}
		if cut := merged.CutShort; cut == nil && merged.NotStarted == nil {
			verdict.JudgeRights(requirement, merged.Claims, rights(parts), merged.Results)
			continue
		}
		for n := range merged.Results {
			if r := &merged.Results[n]; r.ID == requirement.ID && r.Verdict == v1alpha1.Passed {
				r.Verdict, r.Reason = v1alpha1.Skipped, "not judged: it needs the requests of all shards"
			}
		}
	}
}

// rights returns the rights that no part used, and the rights that are too broad in any
// part.
func rights(parts []Part) v1alpha1.Rights {
	var found v1alpha1.Rights
	for n, p := range parts {
		own := v1alpha1.Rights{}
		if p.Report.Rights != nil {
			own = *p.Report.Rights
		}
		if n == 0 {
			found = v1alpha1.Rights{Broad: slices.Clone(own.Broad), Unused: own.Unused}
			continue
		}
		for _, broad := range own.Broad {
			if !slices.Contains(found.Broad, broad) {
				found.Broad = append(found.Broad, broad)
			}
		}
		found.Unused = both(found.Unused, own.Unused)
	}
	return found
}

// both returns the rights that are in a and in b.
func both(a, b []v1alpha1.UnusedRights) []v1alpha1.UnusedRights {
	var common []v1alpha1.UnusedRights
	for _, unused := range a {
		n := slices.IndexFunc(b, func(other v1alpha1.UnusedRights) bool { return other.Rule == unused.Rule })
		if n < 0 {
			continue
		}
		kept := slices.DeleteFunc(slices.Clone(unused.Rights), func(right string) bool { return !slices.Contains(b[n].Rights, right) })
		if len(kept) > 0 {
			common = append(common, v1alpha1.UnusedRights{Rule: unused.Rule, Rights: kept})
		}
	}
	return common
}
