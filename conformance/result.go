package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report/evidence"
	"reconform.dev/reconform/internal/report/logline"
	"reconform.dev/reconform/internal/verdict/baseline"
)

func reportFile(dir string) string { return filepath.Join(dir, "conformance-report.yaml") }

// read reads the report of a run.
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

// ending returns how the subtest of a requirement ends, according to the report. A
// requirement that did not pass never passes its subtest: if nobody is accused, the subtest
// is skipped, with the reason, and otherwise it fails.
func ending(report *v1alpha1.ConformanceReport, test, id string) func(*testing.T) {
	if cut := report.CutShort; cut != nil && slices.Contains(cut.NotJudged, id) {
		return failed("INCONCLUSIVE: not judged, as " + cut.Reason)
	}
	i := slices.IndexFunc(report.Results, func(r v1alpha1.Result) bool { return r.ID == id })
	if i < 0 {
		return failed("INCONCLUSIVE: the report does not name it")
	}
	result := &report.Results[i]
	if e := result.Evidence; e != nil {
		e.Reproduce = fmt.Sprintf("go test -v -run '^%s$/^%s$'", test, id)
		e.Log = logline.InBrief(e.Log)
	}
	switch verdict := string(result.Verdict); result.Verdict {
	case v1alpha1.Passed:
		return func(t *testing.T) {
			say(t, fmt.Sprintf("%s (in %s)", result.Must, result.Duration.Round(time.Second/10)))
		}
	case v1alpha1.Skipped, v1alpha1.NotExercised, v1alpha1.Blocked: // the requirement that blocks it has failed
		return skipped(strings.ToLower(verdict) + ": " + result.Reason)
	default:
		text := fmt.Sprintf("%s %s: %s\n%s", strings.ToUpper(verdict), id, result.Must, evidence.Text(result))
		if known := baseline.Of(*result, report.Known); known != nil {
			return skippedAsKnown(known, text)
		}
		return failed(text)
	}
}

// skippedAsKnown says why a failure does not count, and what was found.
func skippedAsKnown(known *v1alpha1.KnownResult, text string) func(*testing.T) {
	return skipped(fmt.Sprintf("known until %s: %s (%s)\n%s", known.Expires, known.Reason, known.Owner, text))
}

func skipped(text string) func(*testing.T) {
	return func(t *testing.T) { say(t, text); t.SkipNow() }
}

func failed(text string) func(*testing.T) {
	return func(t *testing.T) { say(t, text); t.Fail() }
}

// say is like t.Log, but without the name of a file, which would not help the reader.
func say(t *testing.T, text string) { fmt.Fprintln(t.Output(), text) }
