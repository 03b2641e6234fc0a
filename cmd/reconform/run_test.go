package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func TestControllerThatDoesNotStart(t *testing.T) {
	startsControlPlane(t)
	t.Parallel()
	for name, tc := range map[string]struct{ profile, scale, want string }{
		"it ends at once": {
			"crashing", "1", "the controller does not start: subject-0: exited with status 7; its last words: no database (3 times)",
		},
		"it is never ready": {"idle", "0.1", "the controller does not start: subject-0 runs, but is not ready"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reports := t.TempDir()
			status, stdout, stderr := run(t, "run", "--profile", "testdata/"+tc.profile+".yaml", "--run", "^SH-00",
				"--timeout-scale", tc.scale, "--report-dir", reports)
			if status != 3 || !strings.Contains(stdout, "crashing-controller is not judged") || strings.Count(stderr, tc.want) != 1 {
				t.Errorf("status %d, want 3, and %q once:\n%s%s", status, tc.want, stderr, stdout)
			}
			report := readReport(t, reports)
			if report.Verdict != v1alpha1.Inconclusive || report.Summary.Blocked == 0 || report.Summary.Failed+report.Summary.Passed > 0 {
				t.Errorf("verdict %s, %+v", report.Verdict, report.Summary)
			}
			if report.NotStarted == nil || !strings.Contains(report.NotStarted.Reason, tc.want) {
				t.Errorf("the report says of the start: %+v", report.NotStarted)
			}
		})
	}
}

// TestMaxTime: what has not ended when the time is over is named, and is not judged.
func TestMaxTime(t *testing.T) {
	startsControlPlane(t)
	t.Parallel()
	reports := t.TempDir()
	status, stdout, stderr := run(t, "run", "--run", "^(RC-001|SC-001)$", "--max-time", "1s", "--report-dir", reports)
	const reason = "the time of --max-time was over"
	if status != statusInconclusive || !strings.Contains(stdout, "not judged, as "+reason+": RC-001, SC-001") {
		t.Errorf("status %d, want %d, and what was not judged:\n%s%s", status, statusInconclusive, stderr, stdout)
	}
	if cut := readReport(t, reports).CutShort; cut == nil || cut.Reason != reason || len(cut.NotJudged) != 2 {
		t.Errorf("the report says %+v, want that two were not judged because %s", cut, reason)
	}
	if status, _, stderr := run(t, "run", "--max-time", "-3s"); status != statusUsage || !strings.Contains(stderr, "--max-time is -3s") {
		t.Errorf("status %d, want %d, and the flag:\n%s", status, statusUsage, stderr)
	}
}

func readReport(t *testing.T, dir string) *v1alpha1.ConformanceReport {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "conformance-report.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	report := &v1alpha1.ConformanceReport{}
	if err := yaml.UnmarshalStrict(data, report); err != nil {
		t.Fatal(err)
	}
	return report
}
