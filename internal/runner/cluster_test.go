package runner

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/report"
)

// TestLogOfAControlPlaneThatDoesNotStart: the error names a log that is there when
// somebody reads the error.
func TestLogOfAControlPlaneThatDoesNotStart(t *testing.T) {
	assets := t.TempDir()
	for _, name := range []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok"} {
		if err := os.WriteFile(filepath.Join(assets, name), []byte("#!/bin/sh\necho something is wrong >&2\nexit 3\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("KUBEBUILDER_ASSETS", assets)
	p, err := profile.Load("../../fixtures/profiles/plain.yaml")
	if err != nil {
		t.Fatal(err)
	}
	console := report.NewConsole(io.Discard)
	t.Cleanup(console.Close)
	_, err = OpenSession(t.Context(), SessionOptions{Profile: p, Dir: t.TempDir(), Console: console})
	if err == nil || !strings.Contains(err.Error(), "something is wrong") {
		t.Fatalf("error: %v", err)
	}
	named := regexp.MustCompile(`\(log: (.*)\)`).FindStringSubmatch(err.Error())
	if named == nil {
		t.Fatalf("it names no log: %v", err)
	}
	if text, err := os.ReadFile(named[1]); err != nil || !strings.Contains(string(text), "something is wrong") {
		t.Errorf("its log: %q, %v", text, err)
	}
}
