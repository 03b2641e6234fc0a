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
	initRBAC   = "../../controller/config/rbac"
	initBinary = "../../bin/manager"
)

// TestInit writes a profile of the reference controller, which fits and can be run. What
// validate says of one that does not fit is in TestBrokenProfiles.
func TestInit(t *testing.T) {
	t.Parallel()
	startsControlPlane(t)
	out := filepath.Join(t.TempDir(), "seen.yaml")
	args := []string{
		"init", "--crd", initCRD, "--sample", initSample, "--rbac", initRBAC, "--out", out,
		"--env", "WATCH_NAMESPACE=", "--env", "FQDN={{.Name}}.{{ .namespace }}", "--",
		initBinary, "--metrics-bind-address=127.0.0.1:8080", "--health-probe-bind-address=127.0.0.1:8081", "--leader-elect",
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
		`WATCH_NAMESPACE: ""`, `FQDN: '{{"{{"}}.Name}}.{{ .namespace }}'`,
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
}

// TestInitBadInput has mistakes that show only when the controller is started: nothing
// is written, and the error says what is wrong. Mistakes that show earlier are in
// testdata/scripts/init.txtar.
func TestInitBadInput(t *testing.T) {
	t.Parallel()
	startsControlPlane(t)
	dir := t.TempDir()
	idle := filepath.Join(dir, "idle")
	if err := os.WriteFile(idle, []byte("#!/bin/sh\necho I have nothing to do >&2\nexit 7\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	misspelt := filepath.Join(dir, "misspelt.yaml")
	if err := os.WriteFile(misspelt, []byte("apiVersion: apps.kubedojo.io/v1beta1\nkind: WebApp\nmetadata: {name: demo}\n"+
		"spec: {image: 'registry.example/demo:v1', replica: 3}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out.yaml")
	for name, tc := range map[string]struct {
		args   []string
		status int
		want   string
	}{
		"misspelt": {[]string{"--crd", initCRD, "--sample", misspelt, "--rbac", initRBAC, "--", initBinary}, statusUsage, `spec.replica: the CRD has no such field (did you mean "replicas"?)`},
		"ends":     {[]string{"--crd", initCRD, "--sample", initSample, "--", idle}, statusInconclusive, "I have nothing to do"},
		"no time":  {[]string{"--max-time", "10ms", "--crd", initCRD, "--sample", initSample, "--", idle}, statusInconclusive, "the time of --max-time was over before the control plane and the bench were ready"},
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

// TestInitWorkload writes the profile of a controller that makes CronJobs and Jobs, and
// no Deployment. When the profile names another workload, validate says what is wrong.
func TestInitWorkload(t *testing.T) {
	t.Parallel()
	startsControlPlane(t)
	const backup = "../../fixtures/controllers/backup/config/"
	out := filepath.Join(t.TempDir(), "seen.yaml")
	status, stdout, stderr := run(t, "init", "--crd", backup+"crd/bases/backup.example.com_backups.yaml", "--sample", backup+"samples/backup.yaml",
		"--rbac", backup+"rbac", "--webhooks", backup+"webhook/configurations.yaml", "--env", "LEVEL=quiet", "--out", out, "--",
		"../../bin/backup", "--metrics-bind-address=127.0.0.1:8080", "--health-probe-bind-address=127.0.0.1:8081",
		"--webhook-port=9443", "--cert-dir={{ .certificates }}", "--leader-elect")
	if status != statusOK {
		t.Fatalf("status %d, want %d:\n%s%s", status, statusOK, stderr, stdout)
	}
	written, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"name: backup # guessed:", "replicas: {path: spec.schedule, format: '{{ .value }} 0 1 * *'} # seen:",
		"image: {constant: 'backup-controller:v1'} # seen:", "name: '{{ .name }}-backup' # seen:", "container: backup # seen:",
		"kind: CronJob # seen: CronJob first-look-backup was made for first-look, beside Job first-look-first", "plural: cronjobs # read:",
		"podTemplate: spec.jobTemplate.spec.template # read:", "replicas: spec.schedule # seen:", "lacks: [spec.selector, status] # read:", "restartPolicy: Never",
		"maximum: 59", "cleanup: controller # seen:", "- finalizer # seen:", "created: CronJobCreated", "failed: NameConflict", "Last Backup]",
		"condition: {type: Degraded, status: \"True\"}", "env: {LEVEL: quiet}",
		"config/webhook/configurations.yaml\n", "- --webhook-port={{ .ports.webhook }}\n", "- --cert-dir={{ .certificates }}\n",
		"port: webhook\n", "#conversion: /convert\n",
	} {
		if !strings.Contains(string(written), want) {
			t.Errorf("the profile lacks %q:\n%s", want, written)
		}
	}
	record := visited(t, out)
	for broken, want := range map[*strings.Replacer]string{
		strings.NewReplacer("kind: CronJob #", "kind: Job #", "plural: cronjobs", "plural: jobs"): "workload.kind: Job; the fields of the spec appear in CronJob first-look-backup",
		strings.NewReplacer("spec.jobTemplate.spec.template", "spec.template"):                    "CronJob first-look-backup has no Pod template at spec.template",
		strings.NewReplacer("replicas: spec.schedule", "replicas: spec.suspend"):                  "workload.replicas: spec.suspend; with spec.schedule: ",
		strings.NewReplacer("[spec.selector,", "[spec.suspend,"):                                  "a CronJob has no spec.selector, unlike a Deployment",
	} {
		if err := os.WriteFile(out, []byte(broken.Replace(string(written))), 0o600); err != nil {
			t.Fatal(err)
		}
		if said := complaint(out, record); !strings.Contains(said, want) {
			t.Errorf("it says nothing of %q:\n%s", want, said)
		}
	}
}
