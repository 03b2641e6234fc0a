package main

import (
	"slices"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/report/page"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/verdict"
	"reconform.dev/reconform/internal/verdict/baseline"
)

// renewal keeps the report of an earlier run while what did not pass there is judged again.
type renewal struct {
	earlier *v1alpha1.ConformanceReport
	all     []catalogue.Requirement
	known   []v1alpha1.KnownFailure
	// cut is true if the run was cut short.
	cut bool
}

// problem says why the results of the earlier run are not about the same thing as those of
// this one. It is empty if they are. expired are the exemptions that no longer count.
func (r *renewal) problem(digest string, expired []v1alpha1.Exemption) string {
	switch {
	case r.earlier.ProfileDigest != digest:
		return "the profile has changed since"
	case len(r.earlier.Expired) != len(expired): // of the same profile
		return "an exemption of the profile has ended since"
	case r.earlier.Versions.Reconform != version:
		return "it is of another version of the suite"
	}
	return ""
}

// passed returns the IDs of what passed in the earlier run.
func (r *renewal) passed() []string {
	var ids []string
	for _, result := range r.earlier.Results {
		if result.Verdict == v1alpha1.Passed {
			ids = append(ids, result.ID)
		}
	}
	return ids
}

// complete returns the earlier report with the results of this run.
func (r *renewal) complete(now *v1alpha1.ConformanceReport) *v1alpha1.ConformanceReport {
	r.cut = now.CutShort != nil
	whole := r.earlier.DeepCopy()
	var judged []string
	for _, result := range now.Results {
		reached := now.CutShort == nil || !slices.Contains(now.CutShort.NotJudged, result.ID)
		if reached && !slices.Contains(judged, result.ID) {
			judged = append(judged, result.ID)
		}
	}
	whole.Results = replaced(whole.Results, now.Results, judged)
	whole.Rerun = &v1alpha1.Rerun{Date: r.earlier.Date, Judged: judged, Reproduce: now.Reproduce}
	if r.earlier.Rerun != nil {
		whole.Rerun.Date = r.earlier.Rerun.Date // the oldest
	}
	whole.Date, whole.Versions, whole.Durations, whole.NotStarted = now.Date, now.Versions, now.Durations, now.NotStarted
	whole.Unused = report.UnusedInBoth(whole, now)
	whole.Expired, whole.Isolation, whole.TimeoutScale = now.Expired, now.Isolation, now.TimeoutScale
	if short := whole.CutShort; short != nil {
		short.NotJudged = slices.DeleteFunc(short.NotJudged, func(id string) bool { return slices.Contains(judged, id) })
		if len(short.NotJudged) == 0 {
			whole.CutShort = nil
		}
	}
	verdict.Conclude(r.all, whole)
	whole.Known = baseline.Settle(r.known, whole.Results, time.Now())
	return whole
}

// replaced puts the results of some requirements in the place of their earlier ones.
func replaced(earlier, now []v1alpha1.Result, ids []string) []v1alpha1.Result {
	var results []v1alpha1.Result
	done := map[string]bool{}
	add := func(id string) {
		for _, result := range now {
			if result.ID == id && !done[id] {
				results = append(results, result)
			}
		}
		done[id] = true
	}
	for _, result := range earlier {
		if !slices.Contains(ids, result.ID) {
			results = append(results, result)
			continue
		}
		add(result.ID)
	}
	for _, id := range ids {
		add(id)
	}
	return results
}

// restore writes the earlier report again after a run that could not be carried out. Its
// history is gone.
func (r *renewal) restore(dir string) error {
	if err := report.Write(dir, r.earlier); err != nil {
		return err
	}
	return page.Write(dir, r.earlier)
}
