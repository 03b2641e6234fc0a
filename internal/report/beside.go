package report

import (
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Row is a requirement with its verdict in each of several reports.
type Row struct {
	ID string
	// Verdicts are in the order of the reports. One is empty if its report has no such row, and
	// NotReached if its run ended before.
	Verdicts []v1alpha1.ResultVerdict
}

// NotReached stands for the verdict on a requirement that a run did not come to, because it
// was cut short.
const NotReached v1alpha1.ResultVerdict = "not judged"

// BesideEachOther returns the rows of several reports, by ID, without those that passed in
// all of them, and those that were skipped in all of them. What a run did not reach is no
// difference.
func BesideEachOther(reports []*v1alpha1.ConformanceReport) []Row {
	verdicts := map[string][]v1alpha1.ResultVerdict{}
	for n, r := range reports {
		for id, result := range rowsOf(r) {
			if verdicts[id] == nil {
				verdicts[id] = make([]v1alpha1.ResultVerdict, len(reports))
			}
			verdicts[id][n] = result.Verdict
		}
		if r.CutShort == nil {
			continue
		}
		for _, id := range r.CutShort.NotJudged {
			if verdicts[id] == nil {
				verdicts[id] = make([]v1alpha1.ResultVerdict, len(reports))
			}
			verdicts[id][n] = NotReached
		}
	}
	var rows []Row
	for id, found := range verdicts {
		judged := slices.Compact(slices.DeleteFunc(slices.Clone(found), func(v v1alpha1.ResultVerdict) bool { return v == NotReached }))
		if len(judged) == 0 || len(judged) == 1 && (judged[0] == v1alpha1.Passed || judged[0] == v1alpha1.Skipped) {
			continue
		}
		rows = append(rows, Row{ID: id, Verdicts: found})
	}
	slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(a.ID, b.ID) })
	return rows
}
