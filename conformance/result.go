package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/evidence"
)

func reportFile(dir string) string { return filepath.Join(dir, "conformance-report.yaml") }

// read the report of a run.
func read(dir string) (*v1alpha1.ConformanceReport, error) {
	data, err := os.ReadFile(reportFile(dir))
	if err != nil {
		return nil, fmt.Errorf("reading the report: %w", err)
	}
	report := &v1alpha1.ConformanceReport{}
	if err := yaml.Unmarshal(data, report); err != nil {
		return nil, fmt.Errorf("reading the report %s: %w", reportFile(dir), err)
	}
	return report, nil
}

// ending is how the subtest of a requirement ends, by the report.
func ending(report *v1alpha1.ConformanceReport, id string) func(*testing.T) {
	for i := range report.Results {
		if result := &report.Results[i]; result.ID == id {
			return func(t *testing.T) { tell(t, result) }
		}
	}
	reason := "the report does not name it"
	if cut := report.CutShort; cut != nil {
		reason = "not judged, as " + cut.Reason
	}
	return func(t *testing.T) { t.Error("INCONCLUSIVE: " + reason) }
}

// tell go test of a result. What did not pass is never a pass: what accuses nobody is
// skipped, with its reason, and all else is an error.
func tell(t *testing.T, result *v1alpha1.Result) {
	t.Helper()
	switch result.Verdict {
	case v1alpha1.Passed:
		t.Logf("%s (in %s)", result.Must, result.Duration.Duration)
	case v1alpha1.Skipped, v1alpha1.NotExercised:
		t.Skipf("%s: %s", strings.ToLower(string(result.Verdict)), result.Reason)
	case v1alpha1.Blocked: // what it is blocked by has failed
		t.Skip("blocked: " + result.Reason)
	default:
		t.Errorf("%s %s: %s\n%s", strings.ToUpper(string(result.Verdict)), result.ID, result.Must, evidence.Text(result))
	}
}
