package report

import (
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/verdict"
)

// NotPassed returns the IDs of the requirements that failed, were inconclusive or were
// blocked, in the order of the report, each once.
func NotPassed(report *v1alpha1.ConformanceReport) []string {
	return ids(report.Results, verdict.NeedsLook)
}

// ids returns the IDs of the results with certain verdicts, in order, each once.
func ids(results []v1alpha1.Result, which func(v1alpha1.ResultVerdict) bool) []string {
	var found []string
	for _, r := range results {
		if which(r.Verdict) && !slices.Contains(found, r.ID) {
			found = append(found, r.ID)
		}
	}
	return found
}

// Lists returns what did not pass. There is a line for each verdict, with its IDs in the
// order of the report.
func Lists(report *v1alpha1.ConformanceReport, paint Painter) []string {
	var lines []string
	for _, list := range []struct {
		v     v1alpha1.ResultVerdict
		paint func(string) string
	}{{v1alpha1.Failed, paint.Bad}, {v1alpha1.Flaky, paint.Bad}, {v1alpha1.ResultInconclusive, paint.Unsure}, {v1alpha1.Blocked, paint.Unsure}} {
		if found := ids(report.Results, func(v v1alpha1.ResultVerdict) bool { return v == list.v }); len(found) > 0 {
			lines = append(lines, list.paint(strings.ToLower(string(list.v)))+": "+strings.Join(found, ", "))
		}
	}
	var beside []string
	for _, r := range report.Results {
		if len(r.Beside) > 0 && !slices.Contains(beside, r.ID) {
			beside = append(beside, r.ID)
		}
	}
	if len(beside) > 0 {
		lines = append(lines, fmt.Sprintf("passed, although an invariant was broken in it that another requirement judges: %d, with %s", len(beside), Named(beside)))
	}
	return lines
}

// mostBeside is how many requirements a line names.
const mostBeside = 8

// Named lists IDs, and how many more there are.
func Named(ids []string) string {
	return sanitize.CutList(ids, mostBeside, ", ")
}
