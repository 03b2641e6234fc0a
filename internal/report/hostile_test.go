package report

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// evil is what a subject may say: it clears the screen, hides, and commands.
var evil = "\x1b[2J\x1b]0;owned\x07\a\u202e\n::error::no\n  ::stop-commands::x\r::add-mask::y ##vso[task.complete] ##[error]z\xff\x00" +
	strings.Repeat("x", 100<<10) + "\n::set-output name=a::b"

// obeyed is what none of the outputs may hold.
var obeyed = regexp.MustCompile("(?m)[\x00-\x08\x0b-\x1f\x7f\u0080-\u009f\u202e]|^[\\s>|-]*::|##\\w*\\[")

// TestHostileReport: no text of a subject is obeyed as a command, or fills the disk.
func TestHostileReport(t *testing.T) {
	report := &v1alpha1.ConformanceReport{NotStarted: &v1alpha1.NotStarted{}, SeenButUnclaimed: make([]v1alpha1.SeenButUnclaimed, 1)}
	for _, verdict := range []v1alpha1.ResultVerdict{
		v1alpha1.Passed, v1alpha1.Failed, v1alpha1.ResultInconclusive, v1alpha1.Skipped, v1alpha1.Blocked, v1alpha1.Flaky, v1alpha1.NotExercised,
	} {
		report.Results = append(report.Results, v1alpha1.Result{
			Verdict: verdict, Advice: make([]string, 1), Idle: make([]string, 1),
			Evidence: &v1alpha1.Evidence{Log: make([]string, 100), Violations: make([]v1alpha1.Violation, 2)},
		})
	}
	fill(reflect.ValueOf(report).Elem())
	var shown bytes.Buffer
	console := &Console{out: &shown, running: map[string]*activity{}}
	for _, result := range report.Results {
		console.Accuse(result)
	}
	console.Printf("%s", report.NotStarted.Reason[:1000])

	dir := t.TempDir()
	t.Setenv(stepSummary, filepath.Join(dir, "step.md"))
	if err := Write(dir, report); err != nil {
		t.Fatal(err)
	}
	outputs := map[string][]byte{"the terminal": shown.Bytes()}
	for _, name := range []string{YAMLFile, JUnitFile, SummaryFile, "step.md"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		outputs[name] = data
	}
	for name, output := range outputs {
		if at := obeyed.FindIndex(output); at != nil {
			t.Errorf("%s holds %q", name, output[max(0, at[0]-80):min(len(output), at[1]+80)])
		}
		if most := len(report.Results) * (400 << 10); len(output) > most {
			t.Errorf("%s has %d bytes, want %d at most", name, len(output), most)
		}
		if !strings.Contains(string(output), " characters left out) …") {
			t.Errorf("%s does not say that something was left out", name)
		}
		t.Logf("%s: %d bytes", name, len(output))
	}
}

// fill sets all texts that are empty.
func fill(value reflect.Value) {
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			fill(value.Elem())
		}
	case reflect.Struct:
		for i := range value.NumField() {
			if value.Field(i).CanSet() {
				fill(value.Field(i))
			}
		}
	case reflect.Slice:
		for i := range value.Len() {
			fill(value.Index(i))
		}
	case reflect.String:
		if value.String() == "" {
			value.SetString(evil)
		}
	}
}
