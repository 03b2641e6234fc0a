package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/sanitize"
)

// The names of the files in the report directory.
const (
	YAMLFile    = "conformance-report.yaml"
	JUnitFile   = "junit.xml"
	SummaryFile = "summary.md"
	BadgeFile   = "badge.svg"
	ShieldFile  = "badge.json"
	PageFile    = "report.html"
	HistoryFile = "history.jsonl"
	LogDir      = "logs"
)

// stepSummary names a file to which a step of GitHub Actions may append. The page of the
// run and the pull request show it.
const stepSummary = "GITHUB_STEP_SUMMARY"

// format is one file that is made from a report. To add a format, add a row to formats.
type format struct {
	name string
	make func(*v1alpha1.ConformanceReport) ([]byte, error)
}

// formats returns the formats in the order in which they are written.
func formats() []format {
	return []format{
		{YAMLFile, func(r *v1alpha1.ConformanceReport) ([]byte, error) { return YAML(r) }},
		{JUnitFile, junitOf},
		{SummaryFile, func(r *v1alpha1.ConformanceReport) ([]byte, error) { return []byte(Summary(r)), nil }},
		{BadgeFile, func(r *v1alpha1.ConformanceReport) ([]byte, error) { return badgeSVG(r), nil }},
		{ShieldFile, badgeJSON},
	}
}

// Write makes the report harmless, then writes its files into dir, and replaces those of
// an earlier run. If there is a GitHub summary file, it appends the summary to it.
func Write(dir string, report *v1alpha1.ConformanceReport) error {
	sanitize.All(report)
	files := map[string][]byte{} // all are made before the first is written
	for _, f := range formats() {
		data, err := f.make(report)
		if err != nil {
			return fmt.Errorf("making %s: %w", f.name, err)
		}
		files[f.name] = data
	}
	var errs []error // if one file cannot be written, the others are written all the same
	for _, f := range formats() {
		if err := Replace(filepath.Join(dir, f.name), files[f.name]); err != nil {
			errs = append(errs, fmt.Errorf("writing %s: %w", f.name, err))
		}
	}
	return errors.Join(append(errs, tellStep(files[SummaryFile]))...)
}

// tellStep appends a summary to the GitHub summary file, if there is one.
func tellStep(summary []byte) error {
	path := os.Getenv(stepSummary)
	if path == "" {
		return nil
	}
	if err := appendTo(path, summary); err != nil {
		return fmt.Errorf("appending to $%s: %w", stepSummary, err)
	}
	return nil
}

// Replace writes a temporary file beside path and then renames it. So a full disk leaves
// the old file, and not half of the new one.
func Replace(path string, data []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	_, err = file.Write(data)
	if err = errors.Join(err, file.Chmod(0o644), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

func appendTo(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}

// Clear removes the reports and logs of an earlier run from dir. It leaves everything else
// there, also a report that was moved aside.
func Clear(dir string) error { return removeOf(dir, reportFiles()) }

// ClearBeside removes what Clear removes, apart from the report itself.
func ClearBeside(dir string) error {
	return removeOf(dir, slices.DeleteFunc(reportFiles(), func(name string) bool { return name == YAMLFile }))
}

func removeOf(dir string, names []string) error {
	if err := settle(dir); err != nil {
		return err
	}
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("removing the %s of an earlier run: %w", name, err)
		}
	}
	return nil
}
