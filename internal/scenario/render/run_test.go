package render

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// rendered returns a scenario for the reference with these operations, as if its file
// lay in the folder, AREA/SLUG.
func rendered(t *testing.T, folder, operations string) *Rendered {
	t.Helper()
	s, err := parse(filepath.Join(folder, FileName), []byte(scenario(operations)), os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Render(s, builtin(t, "reference"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestForRun(t *testing.T) {
	const (
		subject = "- apply: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Subject, metadata: {name: subject}}}\n"
		traffic = "- apply: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Traffic, metadata: {name: t}, spec: {windowMs: 500, start: Quiet}}}\n"
	)
	const (
		namespace = "- create: {resource: {apiVersion: v1, kind: Namespace, metadata: {name: xx-001-ns-b}}}"
		marked    = `- create: {resource: {apiVersion: v1, kind: Namespace, metadata: {name: xx-001-ns-b, labels: {reconform.dev/bench: "true"}}}}`
	)
	const verdict = "resource: {apiVersion: reconform.dev/v1alpha1, kind: Traffic, metadata: {name: t}, status: {verdict: Met}}}\n"
	const stop = "- delete: {ref: {apiVersion: reconform.dev/v1alpha1, kind: Subject, name: subject}%s}\n"
	r := rendered(t, "a/b", subject+traffic+namespace+"\n"+fmt.Sprintf(stop, "")+"- assert: {timeout: 5s, resource: {apiVersion: v1, kind: Pod}}\n- assert: {"+verdict)
	for name, tc := range map[string]struct {
		scale                      float64
		timeouts, assert, judgment string
		ended                      string // the limit of the Subject's deletion
	}{
		"as it is": {0, "{apply: 30s, assert: 45s, error: 45s, delete: 30s, exec: 30s, cleanup: 45s}", "5s", "3h0m0s", "30s"},
		"stretched": {
			1.5, "{apply: 45s, assert: 1m7.5s, error: 1m7.5s, delete: 45s, exec: 45s, cleanup: 1m7.5s}", "7.5s", "4h30m0s", "45s",
		},
		"shortened": {0.2, "{apply: 6s, assert: 9s, error: 9s, delete: 6s, exec: 6s, cleanup: 45s}", "3s", "3h0m0s", "30s"},
	} {
		t.Run(name, func(t *testing.T) {
			run, err := r.ForRun(RunOptions{Namespace: "xx-001-ns", TimeoutScale: tc.scale})
			if err != nil {
				t.Fatal(err)
			}
			got, err := run.YAML()
			if err != nil {
				t.Fatal(err)
			}
			want := `apiVersion: chainsaw.kyverno.io/v1alpha1
kind: Test
metadata: {name: xx-001}
spec:
  namespace: xx-001-ns
  skipDelete: true
  timeouts: ` + tc.timeouts + `
  steps:
  - skipDelete: false
    try:
    ` + strings.TrimSpace(subject) + `
    ` + strings.TrimSpace(traffic) + `
    ` + marked + `
    ` + strings.TrimSpace(fmt.Sprintf(stop, ", timeout: "+tc.ended)) + `
    - assert: {timeout: ` + tc.assert + `, resource: {apiVersion: v1, kind: Pod}}
    - assert: {timeout: ` + tc.judgment + `, ` + verdict
			if diff := cmp.Diff(decoded(t, []byte(want)), decoded(t, got)); diff != "" {
				t.Error(diff)
			}
		})
	}
	before, err := r.YAML()
	if err != nil || strings.Contains(string(before), "skipDelete") {
		t.Errorf("the rendered test itself was changed: %v\n%s", err, before)
	}
	if _, err := r.ForRun(RunOptions{TimeoutScale: -1}); err == nil {
		t.Error("a negative scale was not an error")
	}
	bad := rendered(t, "a/b", "- assert: {timeout: soon, resource: {apiVersion: v1, kind: Pod}}\n")
	if _, err := bad.ForRun(RunOptions{}); err == nil || !strings.Contains(err.Error(), `chainsaw-test.yaml:7: assert: timeout: "soon" is not a duration`) {
		t.Errorf("got %v", err)
	}
}

func TestWindowScale(t *testing.T) {
	const window = "- create: {resource: {apiVersion: reconform.dev/v1alpha1, kind: Traffic, metadata: {name: t}, spec: {windowMs: %s}}}\n" +
		"- assert: {resource: {apiVersion: v1, kind: Pod}}\n"
	for _, tc := range []struct {
		scale     float64
		is, after string
	}{
		{0, "10000", "10000"},
		{0.5, "10000", "5000"},
		{0.5, "2000", "1500"}, // it does not become shorter than that
		{0.5, "500", "500"},
	} {
		run, err := rendered(t, "a/b", fmt.Sprintf(window, tc.is)).ForRun(RunOptions{WindowScale: tc.scale})
		if err != nil {
			t.Fatal(err)
		}
		document, err := run.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if want := "windowMs: " + tc.after + "}"; !strings.Contains(string(document), want) {
			t.Errorf("a window of %s ms times %g: want %q in\n%s", tc.is, tc.scale, want, document)
		}
	}
	bad := rendered(t, "a/b", fmt.Sprintf(window, "soon"))
	if _, err := bad.ForRun(RunOptions{WindowScale: 0.5}); err == nil || !strings.Contains(err.Error(), `windowMs: "soon" is not a number`) {
		t.Errorf("got %v", err)
	}
}

func TestWriteDir(t *testing.T) {
	one, two := rendered(t, "area/one", check), rendered(t, "area/two", check)
	parent := t.TempDir()
	out := filepath.Join(parent, "deep", "out")
	files := func() []string {
		t.Helper()
		found, err := filepath.Glob(filepath.Join(out, "*", "*", FileName))
		if err != nil {
			t.Fatal(err)
		}
		for i := range found {
			found[i] = strings.TrimPrefix(found[i], out+"/")
		}
		return found
	}
	if err := WriteDir(out, []*Rendered{one, two}, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"area/xx-001-one/chainsaw-test.yaml", "area/xx-001-two/chainsaw-test.yaml"}, files()); diff != "" {
		t.Error(diff)
	}
	// It replaces what it wrote itself, and removes what is gone.
	if err := WriteDir(out, []*Rendered{two}, map[string][]byte{"README.md": []byte("two")}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"area/xx-001-two/chainsaw-test.yaml"}, files()); diff != "" {
		t.Error(diff)
	}
	if text, err := os.ReadFile(filepath.Join(out, "README.md")); err != nil || string(text) != "two" {
		t.Errorf("beside the tests: %q, %v", text, err)
	}
	// A failure leaves what was there.
	if err := WriteDir(out, []*Rendered{one, one}, nil); err == nil || !strings.Contains(err.Error(), "would both be written to area/xx-001-one") {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff([]string{"area/xx-001-two/chainsaw-test.yaml"}, files()); diff != "" {
		t.Error(diff)
	}
	left, err := os.ReadDir(filepath.Dir(out))
	if err != nil || len(left) != 1 {
		t.Errorf("left beside the output: %v, %v", left, err)
	}

	// A link stays one.
	link := filepath.Join(parent, "link")
	if err := os.Symlink(out, link); err != nil {
		t.Fatal(err)
	}
	if err := WriteDir(link, []*Rendered{one}, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"area/xx-001-one/chainsaw-test.yaml"}, files()); diff != "" {
		t.Error(diff)
	}
	if to, err := os.Readlink(link); err != nil || to != out {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	// What somebody else put there stays.
	mine := filepath.Join("area", "xx-001-one", "mine.yaml")
	if err := os.WriteFile(filepath.Join(out, mine), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteDir(out, []*Rendered{one}, nil); err == nil || !strings.Contains(err.Error(), "has "+mine+", which reconform did not write") {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(out, mine)); err != nil {
		t.Error(err)
	}

	foreign := filepath.Join(parent, "foreign")
	if err := os.Mkdir(foreign, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := WriteDir(foreign, []*Rendered{one}, nil); err != nil {
		t.Errorf("an empty folder: %v", err)
	}
	if err := os.Remove(filepath.Join(foreign, marker)); err != nil {
		t.Fatal(err)
	}
	if err := WriteDir(foreign, []*Rendered{one}, nil); err == nil || !strings.Contains(err.Error(), "is not empty and was not rendered by reconform") {
		t.Errorf("got %v", err)
	}
}

// TestForStock: in a test for stock Chainsaw, only an assertion of a verdict waits as
// long as it may take.
func TestForStock(t *testing.T) {
	const (
		verdict = "- assert: {timeout: 300s, resource: {apiVersion: reconform.dev/v1alpha1, kind: Observation, metadata: {name: o}, status: {verdict: Met}}}\n"
		fault   = "- assert: {timeout: 5s, resource: {apiVersion: reconform.dev/v1alpha1, kind: Fault, metadata: {name: f}, status: {verdict: Met}}}\n"
	)
	r := rendered(t, "a/b", verdict+fault+check)
	before, err := r.YAML()
	if err != nil {
		t.Fatal(err)
	}
	stock, err := r.ForStock(20 * time.Minute).YAML()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Replace(string(stock), "timeout: 20m0s", "timeout: 300s", 1); got != string(before) || got == string(stock) {
		t.Errorf("got\n%s\nof\n%s", stock, before)
	}
}
