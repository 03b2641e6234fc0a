package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

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

// Write makes the report harmless, then writes its files into dir, and replaces those of
// an earlier run. If there is a GitHub summary file, it appends the summary to it.
func Write(dir string, report *v1alpha1.ConformanceReport) error {
	sanitize.All(report)
	document, err := YAML(report)
	if err != nil {
		return fmt.Errorf("encoding the report: %w", err)
	}
	junit, err := junitOf(report)
	if err != nil {
		return fmt.Errorf("encoding the JUnit report: %w", err)
	}
	shield, err := badgeJSON(report)
	if err != nil {
		return fmt.Errorf("encoding the badge: %w", err)
	}
	summary := []byte(Summary(report))
	for _, file := range []struct {
		name string
		data []byte
	}{
		{YAMLFile, document},
		{JUnitFile, junit},
		{SummaryFile, summary},
		{BadgeFile, badgeSVG(report)},
		{ShieldFile, shield},
	} {
		if err := Replace(filepath.Join(dir, file.name), file.data); err != nil {
			return fmt.Errorf("writing %s: %w", file.name, err)
		}
	}
	if path := os.Getenv(stepSummary); path != "" {
		if err := appendTo(path, summary); err != nil {
			return fmt.Errorf("appending to $%s: %w", stepSummary, err)
		}
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
// there.
func Clear(dir string) error {
	for _, name := range []string{YAMLFile, JUnitFile, SummaryFile, BadgeFile, ShieldFile, PageFile, HistoryFile, LogDir} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("removing the %s of an earlier run: %w", name, err)
		}
	}
	return nil
}
