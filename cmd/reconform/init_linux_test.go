package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	initCRD    = "../../controller/config/crd/bases/apps.kubedojo.io_webapps.yaml"
	initSample = "../../controller/config/samples/webapp.yaml"
)

// TestInit writes a profile of the reference controller, which fits and can be run, and
// has validate say what is wrong once it does not fit any more.
func TestInit(t *testing.T) {
	out := filepath.Join(t.TempDir(), "seen.yaml")
	args := []string{
		"init", "--crd", initCRD, "--sample", initSample, "--rbac", "../../controller/config/rbac", "--out", out, "--",
		"../../bin/manager", "--metrics-bind-address=127.0.0.1:8080", "--health-probe-bind-address=127.0.0.1:8081", "--leader-elect",
	}
	status, stdout, stderr := run(t, args...)
	if status != statusOK {
		t.Fatalf("status %d, want %d:\n%s%s", status, statusOK, stderr, stdout)
	}
	written, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"image: {path: spec.image} # seen:", "replicas: {path: spec.replicas} # seen:", "port: {path: spec.port} # seen:",
		"env: {path: spec.env} # seen:", "configMapRef: {path: spec.configMapRef} # seen:", "container: app # seen:",
		"readyReplicas: {path: status.readyReplicas} # seen:", "observedGeneration: {path: status.observedGeneration} # seen:",
		"defaults: {replicas: 2, port: 8080} # read:", "lease: {name: webapp-controller} # seen:",
		"condition: {type: Degraded, status: \"True\"}", "failed: NameConflict", "unowned: refuse # seen:", "- finalizer",
	} {
		if strings.Contains(string(written), want) != (want != "- finalizer") {
			t.Errorf("the profile lacks %q, or should:\n%s", want, written)
		}
	}
	if status, _, stderr := run(t, args...); status != statusUsage || !strings.Contains(stderr, "exists") {
		t.Errorf("status %d over a file that is there, want %d:\n%s", status, statusUsage, stderr)
	}

	if status, stdout, stderr := run(t, "validate", out); status != statusOK {
		t.Errorf("status %d of what was seen, want %d:\n%s%s", status, statusOK, stderr, stdout)
	}
	broken := strings.NewReplacer("lease: {name: webapp-controller}", "lease: {name: leader}", "container: app", "container: web").Replace(string(written))
	if err := os.WriteFile(out, []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	status, _, stderr = run(t, "validate", out)
	for _, want := range []string{"the Lease is called webapp-controller; the profile says leader", "Deployment first-look has: app"} {
		if status != statusUsage || !strings.Contains(stderr, want) {
			t.Errorf("status %d, want %d, and %q:\n%s", status, statusUsage, want, stderr)
		}
	}
}

// TestInitBadInput: nothing is written, and the error says what is wrong.
func TestInitBadInput(t *testing.T) {
	dir := t.TempDir()
	idle := filepath.Join(dir, "idle")
	if err := os.WriteFile(idle, []byte("#!/bin/sh\necho I have nothing to do >&2\nexit 7\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out.yaml")
	for name, tc := range map[string]struct {
		args   []string
		status int
		want   string
	}{
		"no CRD":      {[]string{"--sample", initSample, "--", idle}, statusUsage, "--crd is missing"},
		"no sample":   {[]string{"--crd", initCRD, "--", idle}, statusUsage, "--sample is missing"},
		"no command":  {[]string{"--crd", initCRD, "--sample", initSample}, statusUsage, "the command is missing"},
		"other kinds": {[]string{"--crd", "../../fixtures/variants/renamed/crd.yaml", "--sample", initSample, "--", idle}, statusUsage, "defines hosting.kubedojo.io Site"},
		"no program":  {[]string{"--crd", initCRD, "--sample", initSample, "--", "./absent"}, statusUsage, "no program"},
		"ends":        {[]string{"--crd", initCRD, "--sample", initSample, "--", idle}, statusInconclusive, "I have nothing to do"},
	} {
		t.Run(name, func(t *testing.T) {
			status, _, stderr := run(t, append([]string{"init", "--out", out}, tc.args...)...)
			if status != tc.status || !strings.Contains(stderr, tc.want) {
				t.Errorf("status %d, want %d, and %q:\n%s", status, tc.status, tc.want, stderr)
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("it wrote something")
			}
		})
	}
}
