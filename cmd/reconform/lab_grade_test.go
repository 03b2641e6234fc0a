package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"reconform.dev/reconform/internal/lab/grade"
)

// TestGradeEachInterrupted: after Ctrl+C, those that were graded have their lines in the
// table, and it is said who has none.
func TestGradeEachInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	class := &grade.Class{TimeLimit: time.Minute, Work: t.TempDir(), Command: func(dir string) []string {
		if filepath.Base(dir) == "bob" {
			cancel()
			return []string{"sleep", "100"}
		}
		return []string{"echo", `{"outcome": "judged", "reached": 1, "of": 1}`}
	}}
	var progress, out strings.Builder
	sheet, err := gradeEach(ctx, class, []string{"class/ann", "class/bob", "class/eve"}, &progress)
	if !errors.Is(err, context.Canceled) || !strings.HasSuffix(progress.String(), "not graded: bob, eve\n") {
		t.Errorf("%v\n%s", err, progress.String())
	}
	if err := publish(&out, sheet, "csv", ""); err != nil || !strings.Contains(out.String(), "\nann,,judged,1,1,") || strings.Contains(out.String(), "bob") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

// TestPublish: if the reports cannot be written, the table is.
func TestPublish(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := publish(&out, grade.Sheet{{Submission: "ann", Outcome: grade.Judged}}, "csv", filepath.Join(file, "reports")); err == nil || !strings.Contains(out.String(), "\nann,") {
		t.Errorf("%v\n%s", err, out.String())
	}
	if err := publish(io.Discard, nil, "csv", filepath.Join(file, "reports")); err != nil {
		t.Errorf("nobody was graded: %v", err)
	}
}
