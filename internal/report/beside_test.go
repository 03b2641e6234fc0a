package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func TestBesideEachOther(t *testing.T) {
	of := func(rows ...v1alpha1.Result) *v1alpha1.ConformanceReport {
		return &v1alpha1.ConformanceReport{Results: rows}
	}
	row := func(id string, v v1alpha1.ResultVerdict) v1alpha1.Result { return v1alpha1.Result{ID: id, Verdict: v} }
	rows := BesideEachOther([]*v1alpha1.ConformanceReport{
		of(row("RC-001", v1alpha1.Passed), row("SH-001", v1alpha1.Passed), row("ST-001", v1alpha1.Skipped), row("RT-001", v1alpha1.Failed)),
		of(row("RC-001", v1alpha1.Passed), row("SH-001", v1alpha1.Failed), row("ST-001", v1alpha1.Skipped), row("RT-001", v1alpha1.Failed)),
		of(row("RC-001", v1alpha1.Passed), row("ST-001", v1alpha1.Skipped), row("RT-001", v1alpha1.Failed), row("RT-002", v1alpha1.Passed)),
	})
	// The last run was interrupted: what it did not reach is skipped in its report.
	cut := of(row("RC-001", v1alpha1.Skipped), row("ST-001", v1alpha1.Skipped), row("RT-001", v1alpha1.Skipped))
	cut.CutShort = &v1alpha1.CutShort{NotJudged: []string{"RC-001", "RT-001"}}
	interrupted := BesideEachOther([]*v1alpha1.ConformanceReport{
		of(row("RC-001", v1alpha1.Passed), row("ST-001", v1alpha1.Passed), row("RT-001", v1alpha1.Failed)), cut,
	})
	if diff := cmp.Diff([]Row{
		{"RT-001", []v1alpha1.ResultVerdict{v1alpha1.Failed, NotReached}},
		{"ST-001", []v1alpha1.ResultVerdict{v1alpha1.Passed, v1alpha1.Skipped}},
	}, interrupted); diff != "" {
		t.Error(diff)
	}
	want := []Row{
		{"RT-001", []v1alpha1.ResultVerdict{v1alpha1.Failed, v1alpha1.Failed, v1alpha1.Failed}},
		{"RT-002", []v1alpha1.ResultVerdict{"", "", v1alpha1.Passed}},
		{"SH-001", []v1alpha1.ResultVerdict{v1alpha1.Passed, v1alpha1.Failed, ""}},
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
}
