package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKnownProblems: a file of known failures that is wrong is told before anything runs.
func TestKnownProblems(t *testing.T) {
	file := filepath.Join(t.TempDir(), "known.yaml")
	text := "apiVersion: reconform.dev/v1alpha1\nkind: KnownFailures\nfailures:\n- {id: SH-999, reason: x, owner: me, expires: 2027-01-31}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]string{
		file: "--known: " + file + `:4: failures[0].id: no requirement is called "SH-999"`,
		filepath.Join(t.TempDir(), "absent.yaml"): "no such file",
	} {
		status, _, stderr := run(t, "run", "--known", given, "--report-dir", t.TempDir())
		if status != statusUsage || !strings.Contains(stderr, want) {
			t.Errorf("status %d, want %d, and %q:\n%s", status, statusUsage, want, stderr)
		}
	}
}
