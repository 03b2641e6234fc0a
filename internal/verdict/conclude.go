package verdict

import (
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// Conclude completes a report that has all its results: it counts them, and judges the
// implementation by them. all must contain all requirements, whatever was selected. A run
// that was cut short is inconclusive, unless something has already failed.
func Conclude(all []catalogue.Requirement, report *v1alpha1.ConformanceReport) {
	all = catalogue.Of(all, report.Contract)
	var core []string
	for _, requirement := range all {
		if requirement.Level == catalogue.Core {
			core = append(core, requirement.ID)
		}
	}
	report.Core = Core(report.Results, core)
	report.Summary = Summary(report)
	report.Classes = Classes(all, report.Claims, report.Results)
	report.Invariants = Invariants(report.Results)
	report.Verdict = ofRun(report.Results, report.Core)
	if report.CutShort != nil && report.Verdict != v1alpha1.NotConformant {
		report.Verdict = v1alpha1.Inconclusive
	}
}

// Summary counts the results of a report. What a run that was cut short did not reach is not
// among the skipped ones.
func Summary(report *v1alpha1.ConformanceReport) v1alpha1.Summary {
	s := Summarize(report.Results)
	if report.CutShort == nil {
		return s
	}
	for _, result := range report.Results {
		if result.Verdict == v1alpha1.Skipped && slices.Contains(report.CutShort.NotJudged, result.ID) {
			s.Skipped--
			s.NotJudged++
		}
	}
	return s
}
