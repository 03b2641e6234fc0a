package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"reconform.dev/reconform/internal/report"
)

// TestExploreOfWhatCannotBeExplored ends with a clear error, and with status 2.
func TestExploreOfWhatCannotBeExplored(t *testing.T) {
	startsControlPlane(t)
	t.Parallel()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	reference, err := os.ReadFile(filepath.Join(root, "fixtures/profiles/reference.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	// Its CRD allows 50 replicas.
	text := strings.NewReplacer("../../", root+"/", "replicas: {minimum: 1, maximum: 50}", "replicas: {minimum: 60, maximum: 70}",
		"defaults: {replicas: 2", "defaults: {replicas: 60").Replace(string(reference))
	refused := filepath.Join(t.TempDir(), "refused.yaml")
	if err := os.WriteFile(refused, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		profile string
		want    []string // in the error
	}{
		"a controller that ends at once": {"testdata/crashing.yaml", []string{"status 7", "its output is in "}},
		"a sample that is refused":       {refused, []string{"create: ", "spec.replicas: Invalid value: 60"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reports := t.TempDir()
			status, stdout, stderr := run(t, "explore", "--profile", tc.profile, "--operations", "create", "--report-dir", reports)
			if status != statusUsage || stdout != "" {
				t.Errorf("status %d, output %q", status, stdout)
			}
			for _, want := range tc.want {
				if !strings.Contains(stderr, want) {
					t.Errorf("no %q in:\n%s", want, stderr)
				}
			}
			if _, err := os.Stat(filepath.Join(reports, report.ExploredFile)); !os.IsNotExist(err) {
				t.Errorf("there is a report: %v", err)
			}
		})
	}
}
