package report

import (
	"fmt"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// Gap are core requirements that were not judged, for the same reason.
type Gap struct {
	Reason string
	IDs    []string
}

// notSelected is the reason for what a selection leaves out.
const notSelected = "not selected"

// Gaps returns the core requirements that neither passed nor failed, by the reasons, in the
// order of the requirements. all must contain all requirements, whatever was selected.
func Gaps(report *v1alpha1.ConformanceReport, all []catalogue.Requirement) []Gap {
	var gaps []Gap
	for _, id := range coreIDs(report, all) {
		reason, judged := whyNotJudged(id, report)
		if judged {
			continue
		}
		n := slices.IndexFunc(gaps, func(g Gap) bool { return g.Reason == reason })
		if n < 0 {
			n = len(gaps)
			gaps = append(gaps, Gap{Reason: reason})
		}
		gaps[n].IDs = append(gaps[n].IDs, id)
	}
	return gaps
}

// coreIDs returns the IDs of the core requirements that the report counts. If it counts
// another number than there are in all, it is of other scenarios, as run --scenarios judges
// them or another version has them. Then only the results name them.
func coreIDs(report *v1alpha1.ConformanceReport, all []catalogue.Requirement) []string {
	var ids []string
	for _, r := range catalogue.Of(all, contractOf(report)) {
		if r.Level == catalogue.Core {
			ids = append(ids, r.ID)
		}
	}
	if len(ids) == report.Core.Total {
		return ids
	}
	ids = nil
	for _, r := range report.Results {
		if r.Level == catalogue.Core && !slices.Contains(ids, r.ID) {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

func contractOf(report *v1alpha1.ConformanceReport) string {
	if report.Contract == "" {
		return catalogue.WebApps
	}
	return report.Contract
}

// whyNotJudged says why a requirement neither passed nor failed.
func whyNotJudged(id string, report *v1alpha1.ConformanceReport) (reason string, judged bool) {
	if notReached(report, id) {
		return "as " + report.CutShort.Reason, false
	}
	reason = notSelected
	for _, result := range report.Results {
		if result.ID != id {
			continue
		}
		switch result.Verdict {
		case v1alpha1.Passed, v1alpha1.Failed, v1alpha1.Flaky:
			return "", true
		case v1alpha1.ResultInconclusive:
			reason = "inconclusive"
		case v1alpha1.Blocked:
			reason = "blocked by what failed"
		default:
			reason = result.Reason
		}
	}
	return reason, false
}

// InWords returns the gap in a line.
func (g Gap) InWords() string {
	return fmt.Sprintf("core requirements that were not judged (%s): %s", g.Reason, Named(g.IDs))
}

// Explaining says beside the IDs of requirements how to learn what they are about.
const Explaining = "what one of them is about: reconform explain ID"

// Verdict says in a line what the verdict on an implementation is, and why.
func Verdict(report *v1alpha1.ConformanceReport, gaps []Gap) string {
	var missing, unselected int
	for _, gap := range gaps {
		missing += len(gap.IDs)
		if gap.Reason == notSelected {
			unselected += len(gap.IDs)
		}
	}
	if unnamed := report.Core.Total - report.Core.Judged - missing; unnamed > 0 {
		missing += unnamed
		unselected += unnamed
	}
	failed := report.Summary.Failed + report.Summary.Flaky
	total := fmt.Sprintf("%d core requirements", report.Core.Total)
	switch {
	case report.Verdict == v1alpha1.Conformant:
		return fmt.Sprintf("conformant: all %s were judged, and nothing failed", total)
	case report.Verdict == v1alpha1.NotConformant && failed == 1:
		return "not conformant: 1 requirement failed" + cutAfter(report)
	case report.Verdict == v1alpha1.NotConformant:
		return fmt.Sprintf("not conformant: %d requirements failed%s", failed, cutAfter(report))
	case report.Verdict != v1alpha1.Partial && report.CutShort != nil && report.Summary.Inconclusive == 0:
		return "not judged: " + report.CutShort.Reason + unreached(report)
	case report.NotStarted != nil:
		return "not judged: the controller does not start"
	case report.Verdict != v1alpha1.Partial:
		return fmt.Sprintf("not judged: %s inconclusive, and nothing failed%s", requirements(report.Summary.Inconclusive), cutAfter(report))
	case report.Core.Total == 0:
		return "partial: nothing failed, and none of the scenarios proves a core requirement"
	case unselected == missing && missing > 0:
		return fmt.Sprintf("partial: nothing failed, and %d of %s were not selected", missing, total)
	case unselected == 0:
		return fmt.Sprintf("partial: nothing failed, and %d of %s could not be judged", missing, total)
	default:
		return fmt.Sprintf("partial: nothing failed, and of %s %d were not selected and %d could not be judged", total, unselected, missing-unselected)
	}
}

// requirements returns a number of requirements, and the verb for it.
func requirements(count int) string {
	if count == 1 {
		return "1 requirement was"
	}
	return fmt.Sprintf("%d requirements were", count)
}

// unreached says how much a run without a failure had not judged yet when it ended.
func unreached(report *v1alpha1.ConformanceReport) string {
	if len(report.CutShort.NotJudged) == 0 {
		return ""
	}
	return fmt.Sprintf(", and %s not reached; nothing had failed until then", requirements(len(report.CutShort.NotJudged)))
}

// cutAfter says how much a run had not judged yet when it ended.
func cutAfter(report *v1alpha1.ConformanceReport) string {
	if report.CutShort == nil || len(report.CutShort.NotJudged) == 0 {
		return ""
	}
	return fmt.Sprintf("; not judged, as %s: %d", report.CutShort.Reason, len(report.CutShort.NotJudged))
}

// PaintVerdict colours the line of a verdict. Only a conformant one is good.
func (p Painter) PaintVerdict(v v1alpha1.Verdict, line string) string {
	switch v {
	case v1alpha1.Conformant:
		return p.Good(line)
	case v1alpha1.NotConformant:
		return p.Bad(line)
	default:
		return p.Unsure(line)
	}
}
