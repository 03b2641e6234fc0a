package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/explore"
	"reconform.dev/reconform/internal/report"
)

// If a file of the report cannot be written, the result is printed all the same, and nobody
// is sent to a report that is not there.
func TestExploreNamesOnlyAReportThatIsThere(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, inTheWay string
	}{
		{"all is written", ""},
		{"no page", report.ExploredPageFile},
		{"no report for programs", report.ExploredFile},
		{"no summary", report.SummaryFile},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if tc.inTheWay != "" { // a folder with something in it cannot be replaced by a file
				if err := os.MkdirAll(filepath.Join(dir, tc.inTheWay, "in the way"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			var stdout bytes.Buffer
			cmd := newExploreCommand()
			cmd.SetOut(&stdout)
			cmd.SetContext(t.Context())
			result := &v1alpha1.ExploreReport{
				Implementation: v1alpha1.Implementation{Name: "mine"}, Verdict: v1alpha1.Converges,
				Plans: v1alpha1.ExplorePlans{Planned: 1, All: 1, Done: 1},
			}
			flags := exploreFlags{reportDir: dir, output: outputFlags{format: formatText}}
			err := flags.tell(cmd, &explore.Exploration{}, result, dir)
			if (err == nil) != (tc.inTheWay == "") || err != nil && !strings.Contains(err.Error(), "writing "+tc.inTheWay) {
				t.Errorf("the error is %v", err)
			}
			if !strings.Contains(stdout.String(), "mine: Converges") {
				t.Errorf("the result is not printed:\n%s", stdout.String())
			}
			if named := strings.Contains(stdout.String(), "report: "); named != (err == nil) {
				t.Errorf("the report is named: %t, with the error %v", named, err)
			}
		})
	}
}
