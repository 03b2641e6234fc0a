package mutant_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/mutant"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

const root = "../.."

const headers = `Mistake: The count is wrong.
Seen-In: several projects,
 large ones too.
Caught-By: RC-005
Because: replicas.*2
`

const diff = `
diff --git a/a.go b/a.go
--- a/a.go
+++ b/a.go
@@ -2,3 +2,3 @@
 two
-three
+3
 four
`

// load reads one mutant of this text.
func load(t *testing.T, text string) (mutant.Mutant, error) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), mutant.Dir, "reference")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "wrong-count.patch"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	mutants, err := mutant.Load(strings.TrimSuffix(dir, filepath.Join(mutant.Dir, "reference")))
	if err != nil {
		return mutant.Mutant{}, err
	}
	return mutants[0], nil
}

func TestLoad(t *testing.T) {
	m, err := load(t, headers+diff)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{m.Name, m.Base, m.Mistake, m.SeenIn, m.CaughtBy, m.Because.String()}
	want := []string{"wrong-count", "reference", "The count is wrong.", "several projects, large ones too.", "RC-005", "replicas.*2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("mutant differs (-want +got):\n%s", diff)
	}
}

// A mutant that no requirement catches says so.
func TestLoadFoundByExplore(t *testing.T) {
	m, err := load(t, strings.Replace(headers, "RC-005", mutant.Explore, 1)+diff)
	if err != nil || !m.ByExplore() {
		t.Errorf("by explore: %t, %v", m.ByExplore(), err)
	}
	if m, err := load(t, headers+diff); err != nil || m.ByExplore() {
		t.Errorf("by a requirement: %t, %v", m.ByExplore(), err)
	}
}

func TestLoadRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"no diff":             {headers, "no diff"},
		"no headers":          {diff, "needs the header"},
		"a header missing":    {strings.Replace(headers, "Caught-By: RC-005\n", "", 1) + diff, "needs the header Caught-By once, and has it 0 times"},
		"a header twice":      {"Mistake: Another.\n" + headers + diff, "needs the header Mistake once, and has it 2 times"},
		"another header":      {"Author: None\n" + headers + diff, "unknown header Author"},
		"two requirements":    {strings.Replace(headers, "RC-005", "RC-005, RC-004", 1) + diff, "not the ID of one requirement"},
		"a broken expression": {strings.Replace(headers, "replicas.*2", "(", 1) + diff, "missing closing )"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, tc.text)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
		})
	}
}

func TestApply(t *testing.T) {
	for name, tc := range map[string]struct{ content, want, err string }{
		"in its place": {"one\ntwo\nthree\nfour\n", "one\ntwo\n3\nfour\n", ""},
		"moved":        {"zero\nzero\none\ntwo\nthree\nfour\n", "zero\nzero\none\ntwo\n3\nfour\n", ""},
		"the nearest":  {"two\nthree\nfour\ntwo\nthree\nfour\n", "two\n3\nfour\ntwo\nthree\nfour\n", ""},
		"gone":         {"one\ntwo\n3\nfour\n", "", "not there any more"},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := load(t, headers+diff)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string][]byte{"a.go": []byte(tc.content)}
			err = m.Apply(files)
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("error %v, want one with %q", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(files["a.go"])); diff != "" {
				t.Errorf("file differs (-want +got):\n%s", diff)
			}
		})
	}
}

func TestApplyNeedsItsFile(t *testing.T) {
	m, err := load(t, headers+diff)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Apply(map[string][]byte{"b.go": nil}); err == nil || !strings.Contains(err.Error(), "no a.go") {
		t.Errorf("error %v, want one that names the file", err)
	}
}

// TestCatalogue checks that the committed mutants name existing requirements, and that
// each requirement has a mutant: what never accused anybody proves nothing.
func TestCatalogue(t *testing.T) {
	mutants, err := mutant.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	requirements, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	caught := map[string]bool{}
	for _, r := range requirements {
		caught[r.ID] = false
	}
	for _, m := range mutants {
		if _, ok := caught[m.CaughtBy]; !ok && !m.ByExplore() {
			t.Errorf("mutant %s: there is no requirement %s", m.Name, m.CaughtBy)
		}
		if !strings.HasSuffix(m.Mistake, ".") || strings.Count(m.Mistake, ". ") > 0 {
			t.Errorf("mutant %s: its mistake is not said in one sentence: %s", m.Name, m.Mistake)
		}
		if !m.ByExplore() {
			caught[m.CaughtBy] = true
		}
	}
	for id, is := range caught {
		if !is {
			t.Errorf("no mutant shows what %s catches", id)
		}
	}
}

// TestFastHalf: these mutants are left out: those of a slow or unknown requirement,
// those with a CRD of their own, and each second one for the same requirement.
func TestFastHalf(t *testing.T) {
	code := "controller/webapp/children.go"
	crd := "controller/config/crd/bases/webapps.yaml"
	rights := "controller/config/rbac/role.yaml"
	var mutants []mutant.Mutant
	for _, given := range []struct{ name, file, caughtBy string }{
		{"bounds", crd, "VA-001"},
		{"image", code, "VA-001"},
		{"image-again", code, "VA-001"},
		{"rights", rights, "RB-001"},
		{"quick-yet", code, "CS-004"},
		{"long", code, "CD-009"},
		{"slow", code, "SC-001"},
		{"whole-runs", code, "RB-002"},
		{"unknown", code, "XX-001"},
	} {
		m, err := load(t, fmt.Sprintf("Mistake: It is wrong.\nSeen-In: nowhere.\nCaught-By: %s\nBecause: it\n\n"+
			"diff --git a/%[2]s b/%[2]s\n--- a/%[2]s\n+++ b/%[2]s\n@@ -1 +1 @@\n-a\n+b\n", given.caughtBy, given.file))
		if err != nil {
			t.Fatal(err)
		}
		m.Name = given.name
		mutants = append(mutants, m)
	}
	fast, others := mutant.FastHalf(mutants, []catalogue.Requirement{
		{ID: "VA-001"},
		{ID: "RB-001"},
		{ID: "CS-004", Takes: 15 * time.Second},
		{ID: "CD-009", Takes: 30 * time.Second},
		{ID: "SC-001", Slow: true},
		{ID: "RB-002", WholeRun: true},
	})
	var got [2][]string
	for i, half := range [][]mutant.Mutant{fast, others} {
		for _, m := range half {
			got[i] = append(got[i], m.Name)
		}
	}
	want := [2][]string{{"image", "rights", "quick-yet"}, {"bounds", "image-again", "long", "slow", "whole-runs", "unknown"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fast and others (-want +got):\n%s", diff)
	}
}
