package e2e

import (
	_ "embed"
	"slices"
	"testing"

	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// onLocal is the committed report of the reference on the local control plane.
const onLocal = "../docs/field/reference.yaml"

//go:embed otherwise.yaml
var otherwiseFile []byte

// otherwise are rows whose verdict in these modes differs from that on the local control
// plane, and why.
type otherwise struct {
	IDs     []string               `json:"ids"`
	Modes   []string               `json:"modes"`
	Verdict v1alpha1.ResultVerdict `json:"verdict"`
	Because string                 `json:"because"`
}

// sameVerdicts fails the test if a requirement has another verdict than on the local
// control plane, and nothing explains it. A requirement that is newer than the
// committed report must pass, or be skipped.
func sameVerdicts(t *testing.T, mode string, report *v1alpha1.ConformanceReport) {
	t.Helper()
	var rows []otherwise
	if err := yaml.UnmarshalStrict(otherwiseFile, &rows); err != nil {
		t.Fatal("reading what is judged otherwise:", err)
	}
	local := readReport(t, onLocal)
	for _, result := range report.Results {
		want := result.Verdict
		if n := slices.IndexFunc(local.Results, func(r v1alpha1.Result) bool { return r.ID == result.ID }); n >= 0 {
			want = local.Results[n].Verdict
		}
		of := func(r otherwise) bool { return slices.Contains(r.IDs, result.ID) && slices.Contains(r.Modes, mode) }
		if n := slices.IndexFunc(rows, of); n >= 0 {
			want = rows[n].Verdict
		}
		if result.Verdict != want {
			t.Errorf("%s is %s (%s), and %s on the local control plane: otherwise.yaml does not say why", result.ID, result.Verdict, result.Reason, want)
		}
	}
}
