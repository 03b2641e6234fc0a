package report

import (
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Row is a requirement with its verdict in each of several reports.
type Row struct {
	ID string
	// Verdicts are in the order of the reports. One is empty if its report has no such row.
	Verdicts []v1alpha1.ResultVerdict
}

// BesideEachOther returns the rows of several reports, by ID, without those that passed in
// all of them, and those that were skipped in all of them.
func BesideEachOther(reports []*v1alpha1.ConformanceReport) []Row {
	verdicts := map[string][]v1alpha1.ResultVerdict{}
	for n, r := range reports {
		for id, result := range rowsOf(r) {
			if verdicts[id] == nil {
				verdicts[id] = make([]v1alpha1.ResultVerdict, len(reports))
			}
			verdicts[id][n] = result.Verdict
		}
	}
	var rows []Row
	for id, found := range verdicts {
		uniform := len(slices.Compact(slices.Clone(found))) == 1
		if uniform && (found[0] == v1alpha1.Passed || found[0] == v1alpha1.Skipped) {
			continue
		}
		rows = append(rows, Row{ID: id, Verdicts: found})
	}
	slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(a.ID, b.ID) })
	return rows
}
