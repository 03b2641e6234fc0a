package merge

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestLogs: the logs and the rendered scenarios of all parts are copied beside the
// merged report, and no other file, whatever a report names.
func TestLogs(t *testing.T) {
	dirs := []string{t.TempDir(), t.TempDir()}
	for n, text := range []string{"first", "second"} {
		at := filepath.Join(dirs[n], "logs", "a")
		if err := os.MkdirAll(at, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(at, "subject-0.log"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dirs[1], "logs", "a", "scenario.yaml"), []byte("rendered"), 0o600); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("of somebody else"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(dirs[0], "logs", "link.log")); err != nil {
		t.Fatal(err)
	}
	logs := []string{"logs/a/subject-0.log", "logs/gone.log", "logs/link.log", "logs/../../x", "/etc/passwd", "logs/a"}
	merged := &v1alpha1.ConformanceReport{Results: []v1alpha1.Result{
		{Part: 1, Evidence: &v1alpha1.Evidence{Logs: logs}},
		{Part: 2, Evidence: &v1alpha1.Evidence{Logs: logs[:1], Rendered: "logs/a/scenario.yaml"}},
		{Part: 3, Evidence: &v1alpha1.Evidence{Logs: logs, Rendered: "logs/a/scenario.yaml"}},
		{Part: 1},
	}}
	to := t.TempDir()
	if err := Logs(to, []Part{{dirs[0], ran("1/2")}, {dirs[1], ran("2/2")}}, merged); err != nil {
		t.Fatal(err)
	}
	var got [][]string
	for _, r := range merged.Results[:3] {
		got = append(got, r.Evidence.Logs)
	}
	want := [][]string{{"logs/part-1/a/subject-0.log"}, {"logs/part-2/a/subject-0.log"}, nil}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("logs (-want +got):\n%s", diff)
	}
	if first, second := merged.Results[1].Evidence.Rendered, merged.Results[2].Evidence.Rendered; first != "logs/part-2/a/scenario.yaml" || second != "" {
		t.Errorf("the rendered scenarios are %q and %q", first, second)
	}
	for name, text := range map[string]string{want[0][0]: "first", want[1][0]: "second", "logs/part-2/a/scenario.yaml": "rendered"} {
		if data, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(data) != text {
			t.Errorf("%s has %q, %v", name, data, err)
		}
	}
}

// TestLogsThatCannotBeCopied: if a log cannot be copied, no copy is left, and none is named.
func TestLogsThatCannotBeCopied(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	logs := []string{"logs/a/1.log", "logs/b/2.log"}
	for _, name := range logs {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(from, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(from, name), []byte("text"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(to, "logs", "part-1"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(to, "logs", "part-1", "b"), nil, 0o600); err != nil { // in the way
		t.Fatal(err)
	}
	merged := &v1alpha1.ConformanceReport{Results: []v1alpha1.Result{
		{Part: 1, Evidence: &v1alpha1.Evidence{Logs: logs, Rendered: "logs/a/scenario.yaml"}},
	}}
	err := Logs(to, []Part{{from, ran("1/1")}}, merged)
	if err == nil || !strings.Contains(err.Error(), "copying logs/b/2.log") {
		t.Errorf("got the error %v, want one about the second log", err)
	}
	if e := merged.Results[0].Evidence; e.Logs != nil || e.Rendered != "" {
		t.Errorf("the evidence names %v and %q, want nothing", e.Logs, e.Rendered)
	}
	if _, err := os.Stat(filepath.Join(to, "logs")); !os.IsNotExist(err) {
		t.Errorf("a copy is left: %v", err)
	}
}
