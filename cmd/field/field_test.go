package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/verdict"
)

const committed = "../../docs/field"

// ofMachines is what no committed report may hold: paths of a machine, and addresses that
// are not its loopback interface.
var ofMachines = regexp.MustCompile(`(?:^|[\s"'=:(])/(?:home|root|tmp|work|var|Users|opt|mnt)/|\b(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d+\.\d+\.\d+\b`)

// TestPage: the page is made from the reports beside it. These are small, and contain
// nothing of the machine that made them.
func TestPage(t *testing.T) {
	reports, err := readAll(committed)
	if err != nil {
		t.Fatal(err)
	}
	if len(reports) < 3 {
		t.Errorf("%d reports", len(reports))
	}
	page, err := os.ReadFile(filepath.Join(committed, pageFile))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(table(reports), string(page)); diff != "" {
		t.Errorf("docs/field/README.md is stale (go run ./cmd/field docs/field) (-want +got):\n%s", diff)
	}
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range reports {
		data, err := os.ReadFile(filepath.Join(committed, name))
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > 128<<10 {
			t.Errorf("%s has %d bytes", name, len(data))
		}
		if found := ofMachines.FindIndex(data); found != nil {
			t.Errorf("%s has a path or an address of a machine: %q", name, data[max(0, found[0]-40):min(len(data), found[1]+40)])
		}
		if len(host) > 4 && host != "localhost" && bytes.Contains(data, []byte(host)) {
			t.Errorf("%s names the machine", name)
		}
		before := r.DeepCopy()
		if slim(r); !cmp.Equal(before, r) {
			t.Errorf("%s has what is left out: %s", name, cmp.Diff(before, r))
		}
	}
}

// TestCommit: paths and names of the machine are removed, and the rest stays.
func TestCommit(t *testing.T) {
	t.Setenv("GITHUB_STEP_SUMMARY", "")
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	results := []v1alpha1.Result{
		{ID: "RC-001", Area: "reconcile", Level: "core", Must: "be there", Verdict: v1alpha1.Passed},
		{ID: "RC-002", Area: "reconcile", Level: "core", Verdict: v1alpha1.Skipped, Reason: "it has: none"},
		{ID: "SH-004", Verdict: v1alpha1.Failed, Reason: strings.Repeat("long ", 1000), Evidence: &v1alpha1.Evidence{
			Log: []string{"read /home/me/x"}, Logs: []string{"logs/x"}, Reproduce: "run /home/me", Hint: "look", Requests: make([]string, 9),
			Failure: "it threw at " + filepath.Join(root, "main.js") + ":7",
		}},
	}
	r := &v1alpha1.ConformanceReport{
		Profile: "mine", Implementation: v1alpha1.Implementation{Name: "a|b"}, Reproduce: "run /home/me", Verdict: v1alpha1.NotConformant,
		Results: results, Summary: verdict.Summarize(results),
	}
	r.APIVersion, r.Kind = v1alpha1.GroupVersion.String(), v1alpha1.KindConformanceReport
	dir, page := t.TempDir(), t.TempDir()
	if err := report.Write(dir, r); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	if status := execute([]string{page, dir}, &said); status != 0 {
		t.Fatalf("status %d: %s", status, &said)
	}
	data, err := os.ReadFile(filepath.Join(page, "mine.yaml"))
	if err != nil || len(data) > 4<<10 || bytes.Contains(data, []byte("/home/me")) || !bytes.Contains(data, []byte("hint: look")) ||
		!bytes.Contains(data, []byte("it threw at main.js:7")) ||
		!bytes.Contains(data, []byte("  - {id: RC-001, verdict: Passed}\n  - {id: RC-002, verdict: Skipped, reason: 'it has: none'}\n")) {
		t.Errorf("%v: %s", err, data)
	}
	readme, err := os.ReadFile(filepath.Join(page, pageFile))
	if err != nil || !bytes.Contains(readme, []byte(`| [a\|b](mine.yaml) | NotConformant | 0 of 0 | 1 | 1 | 1 |  | SH-004 |`)) {
		t.Errorf("%v: %s", err, readme)
	}
	for name, args := range map[string][]string{"nothing": nil, "no report": {page, t.TempDir()}, "no page": {filepath.Join(page, "absent"), dir}} {
		if status := execute(args, &said); status != 2 {
			t.Errorf("%s: status %d, want 2", name, status)
		}
	}
}
