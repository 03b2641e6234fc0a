package report

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/sanitize"
)

const head = "apiVersion: reconform.dev/v1alpha1\nkind: ConformanceReport\n"

// TestParse: an error in a report is shown with file and line.
func TestParse(t *testing.T) {
	whole, err := YAML(sample())
	if err != nil {
		t.Fatal(err)
	}
	edited := func(old, text string) string {
		if strings.Count(string(whole), old) == 0 {
			t.Fatalf("no %q in the report:\n%s", old, whole)
		}
		return strings.Replace(string(whole), old, text, 1)
	}
	row := strings.Index(string(whole), "  - id: SS-001")
	for name, tc := range map[string]struct{ text, want string }{
		"nothing":                  {"", "r.yaml: the file is empty: it should hold one ConformanceReport"},
		"blank":                    {"\n\n# none\n", "r.yaml: the file is empty: it should hold one ConformanceReport"},
		"half a line":              {"verdict: [", "r.yaml:1: not YAML: did not find expected node content"},
		"not text":                 {"\x00\x01\x02", "r.yaml: not YAML: control characters are not allowed"},
		"a list":                   {"- a", "r.yaml:1: not a mapping: the file should hold one ConformanceReport"},
		"another kind":             {"apiVersion: reconform.dev/v1alpha1\nkind: Profile", "r.yaml:2: kind: is Profile; it must be ConformanceReport"},
		"another version":          {"kind: ConformanceReport\napiVersion: v1", "r.yaml:2: apiVersion: is v1; it must be reconform.dev/v1alpha1"},
		"two":                      {string(whole) + "---\n" + string(whole), "a second document"},
		"aliases":                  {head + "profile: &a x\nverdict: *a", "r.yaml:4: verdict: an alias: write the value out"},
		"no verdict":               {head + "profile: mine", `r.yaml:1: verdict: "" is not a verdict on a run`},
		"cut off":                  {string(whole[:row]), "r.yaml:8: summary: it says 1 passed, 1 failed, 1 inconclusive, 1 skipped, and the results are 1 passed, 1 failed, 0 inconclusive, 0 skipped: the file was cut off, or changed by hand"},
		"cut off within a row":     {string(whole[:row+12]), `verdict: "" is not a verdict on a requirement`},
		"a verdict of no kind":     {edited("verdict: Passed", "verdict: Pased"), `verdict: "Pased" is not a verdict on a requirement`},
		"a row twice":              {edited("id: SS-001", "id: SH-004"), "SH-004 is given twice: it is already result 2"},
		"a row of nothing":         {edited("id: SS-001", `id: ""`), "results[2]: a result without an id"},
		"a number for a text":      {edited("area: steady-state", "area: 7"), "results[2].area: a number is not allowed here"},
		"no duration":              {edited("duration: 0s", "duration: long"), `results[0].duration: time: invalid duration "long"`},
		"an unknown field":         {edited("area: steady-state", "arena: x"), `results[2].arena: unknown field "results[0].arena"`},
		"a field in capitals":      {edited("profile: some", "Profile: some"), `r.yaml:5: Profile: unknown field "Profile"`},
		"an earlier name, too":     {head + "classes: []\nprofiles: []", "r.yaml:4: profiles: the earlier name of classes, which is given, too"},
		"in an earlier name":       {head + "profiles:\n- name: 7", "r.yaml:4: profiles[0].name: a number is not allowed here"},
		"no such shard":            {edited("profile: some", "profile: some\nshard: {index: 3, count: 2}"), "r.yaml:6: shard: there is no shard 3/2"},
		"rows that are not a list": {edited("results:\n", "results: x\nmeasured:\n"), "r.yaml:36: results: a string is not allowed here"},
		"a row that is a number":   {edited("results:\n", "results:\n  - 7\n"), "results: a number is not allowed here"},
		"a number too large":       {edited("passed: 1", "passed: 1e99"), "summary: a number 1e+99 is not allowed here"},
		"no number":                {edited("passed: 1", "passed: .nan"), "summary.passed: .nan is not a number that JSON knows"},
	} {
		t.Run(name, func(t *testing.T) {
			report, err := Parse("r.yaml", []byte(tc.text))
			if report != nil || err == nil || !strings.HasPrefix(err.Error(), "r.yaml:") || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want an error with %q", err, tc.want)
			}
		})
	}
}

// TestParseEarlier: a report of an earlier version, whose field for the conformance classes
// has another name, is read as one of today.
func TestParseEarlier(t *testing.T) {
	today := sample()
	today.Classes = []v1alpha1.ClassResult{{Name: "Core", Verdict: v1alpha1.ClassPartial, Required: v1alpha1.Tally{Passed: 1, Total: 2}}}
	whole, err := YAML(today)
	if err != nil {
		t.Fatal(err)
	}
	earlier := strings.Replace(string(whole), "\nclasses:\n", "\nprofiles:\n", 1)
	if earlier == string(whole) {
		t.Fatalf("no classes in the report:\n%s", whole)
	}
	want, err := Parse("r.yaml", whole)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Parse("r.yaml", []byte(earlier))
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-today +earlier):\n%s", err, diff)
	}
}

// TestRead: a strange file in place of a report neither blocks the command nor fills
// the memory.
func TestRead(t *testing.T) {
	t.Setenv(stepSummary, "")
	written := t.TempDir()
	if err := Write(written, sample()); err != nil {
		t.Fatal(err)
	}
	want := sample()
	sanitize.All(want)
	if got, err := Read(written); err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("a report read back: %v (-want +got):\n%s", err, cmp.Diff(want, got))
	}
	if _, err := Read(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no report: got %v", err)
	}
	for name, tc := range map[string]struct {
		make func(path string) error
		want string
	}{
		"huge":     {func(path string) error { return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40)) }, "larger than 65536 KiB"},
		"endless":  {func(path string) error { return os.Symlink("/dev/zero", path) }, "not a regular file"},
		"a folder": {func(path string) error { return os.Mkdir(path, 0o700) }, "this is a folder, and not a file"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, YAMLFile)
			if err := tc.make(path); err != nil {
				t.Fatal(err)
			}
			if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), path+": "+tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
}

// FuzzParse looks for files that break the reader instead of being refused, and for
// reports that are not the same when they are written and read again.
func FuzzParse(f *testing.F) {
	whole, err := YAML(sample())
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range []string{
		string(whole), head, head + "verdict: Partial\nresults: [{id: A, verdict: Failed}]\nsummary: {failed: 1}",
		head + "date: 2026-01-02T03:04:05+01:00\nverdict: Partial\nclaims: {times: {longestRetryPause: 1s}}",
		"a: &a [*a]", "? {a: b}\n: c", "results: .nan\n---\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		report, err := Parse("fuzz.yaml", data)
		if (report == nil) == (err == nil) {
			t.Fatalf("got report %v and error %v", report, err)
		}
		if err != nil {
			return
		}
		written, err := YAML(report)
		if err != nil {
			t.Fatal(err)
		}
		var again *v1alpha1.ConformanceReport
		if again, err = Parse("again.yaml", written); err != nil {
			t.Fatalf("%v in\n%s", err, written)
		}
		if diff := cmp.Diff(report, again); diff != "" {
			t.Errorf("written and read again (-before +after):\n%s", diff)
		}
	})
}
