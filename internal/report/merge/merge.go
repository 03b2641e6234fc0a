package merge

import (
	"cmp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/verdict"
	"reconform.dev/reconform/internal/verdict/baseline"
)

// Merge merges the reports of parts, as [Read] returns them. all must contain all
// requirements; version is the version of this suite. The error says that reports do not
// belong together.
func Merge(parts []Part, all []catalogue.Requirement, version string) (*v1alpha1.ConformanceReport, error) {
	with := reported(parts)
	if err := fit(with, all, version); err != nil {
		return nil, err
	}
	all = catalogue.Of(all, with[0].Report.Contract)
	all = catalogue.Relying(all, all, with[0].Report.Claims)
	results, cut := rows(with, all)
	short, err := missing(parts, all, results, cut)
	if err != nil {
		return nil, err
	}
	first, longest := with[0].Report, with[0].Report
	merged := &v1alpha1.ConformanceReport{
		TypeMeta: first.TypeMeta, Implementation: first.Implementation, Profile: first.Profile, ProfileDigest: first.ProfileDigest,
		Contract: first.Contract, Selection: first.Selection, Claims: first.Claims, Expired: first.Expired, Unused: first.Unused,
		TimeoutScale: first.TimeoutScale, Versions: first.Versions, CutShort: short, Results: results,
	}
	for _, p := range with {
		r := p.Report
		merged.Parts = append(merged.Parts, v1alpha1.Part{
			Shard: r.Shard, Date: r.Date, Platform: r.Versions.Platform, Verdict: r.Verdict, Summary: r.Summary, Total: r.Durations.Total,
		})
		merged.Unused = report.UnusedInBoth(merged, r)
		if r.Date.After(merged.Date.Time) {
			merged.Date = r.Date
		}
		if r.Durations.Total.Duration > longest.Durations.Total.Duration {
			longest = r
		}
		if merged.NotStarted == nil && slices.ContainsFunc(results, unstarted) {
			merged.NotStarted = r.NotStarted
		}
		merged.Versions.Go = listed(merged.Versions.Go, r.Versions.Go)
		merged.Versions.Platform = listed(merged.Versions.Platform, r.Versions.Platform)
		for _, lack := range r.Isolation {
			if !slices.Contains(merged.Isolation, lack) {
				merged.Isolation = append(merged.Isolation, lack)
			}
		}
	}
	merged.Durations = longest.Durations
	merged.Unserved = unserved(with)
	merged.SeenButUnclaimed = unclaimed(with)
	merged.Measured = measured(with)
	judgeWhole(with, all, merged)
	verdict.Conclude(all, merged)
	merged.Known = baseline.Settle(declared(with), merged.Results, merged.Date.Time)
	return merged, nil
}

// unstarted says whether a row means that the controller did not start.
func unstarted(r v1alpha1.Result) bool { return r.Verdict == v1alpha1.Blocked && r.BlockedBy == "" }

// listed adds a word to a list, if the list does not have it.
func listed(list, word string) string {
	if slices.Contains(strings.Split(list, ", "), word) {
		return list
	}
	return list + ", " + word
}

// unclaimed returns the unclaimed features of all parts, each as it was first seen.
func unclaimed(parts []Part) []v1alpha1.SeenButUnclaimed {
	var all []v1alpha1.SeenButUnclaimed
	for _, p := range parts {
		for _, seen := range p.Report.SeenButUnclaimed {
			if !slices.ContainsFunc(all, func(s v1alpha1.SeenButUnclaimed) bool { return s.Feature == seen.Feature }) {
				all = append(all, seen)
			}
		}
	}
	slices.SortFunc(all, func(a, b v1alpha1.SeenButUnclaimed) int { return cmp.Compare(a.Feature, b.Feature) })
	return all
}

// unserved adds up the requests that the bench could not serve in any part.
func unserved(parts []Part) []v1alpha1.Unserved {
	var all []v1alpha1.Unserved
	for _, p := range parts {
		for _, u := range p.Report.Unserved {
			n := slices.IndexFunc(all, func(known v1alpha1.Unserved) bool { return known.Request == u.Request })
			if n < 0 {
				u.SeenIn = slices.Clone(u.SeenIn)
				all = append(all, u)
				continue
			}
			all[n].Count += u.Count
			for _, id := range u.SeenIn {
				if !slices.Contains(all[n].SeenIn, id) {
					all[n].SeenIn = append(all[n].SeenIn, id)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b v1alpha1.Unserved) int { return cmp.Compare(a.Request, b.Request) })
	return all
}

// measured returns the measured times of all parts, the longest of each.
func measured(parts []Part) []v1alpha1.Measured {
	var all []v1alpha1.Measured
	for _, p := range parts {
		for _, m := range p.Report.Measured {
			n := slices.IndexFunc(all, func(known v1alpha1.Measured) bool { return known.Name == m.Name })
			switch {
			case n < 0:
				all = append(all, m)
			case longer(m.Measured, all[n].Measured):
				all[n] = m
			}
		}
	}
	return all
}

func longer(a, b *metav1.Duration) bool { return a != nil && (b == nil || a.Duration > b.Duration) }

// declared returns the known failures of all parts, each once.
func declared(parts []Part) []v1alpha1.KnownFailure {
	var failures []v1alpha1.KnownFailure
	for _, p := range parts {
		for _, k := range p.Report.Known {
			if !slices.Contains(failures, k.KnownFailure) {
				failures = append(failures, k.KnownFailure)
			}
		}
	}
	return failures
}
