package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/mutant"
)

// byExplore is a mutant that only an exploration finds, because of a deletion.
func byExplore(name string) candidate {
	c := candidateNamed(name)
	c.CaughtBy, c.Because = mutant.Explore, regexp.MustCompile("configmaps demo deletion")
	c.requirement.ID = ""
	return c
}

// explored is a report with these causes.
func explored(causes ...v1alpha1.ExploredCause) *v1alpha1.ExploreReport {
	return &v1alpha1.ExploreReport{Verdict: v1alpha1.Diverges, Plans: v1alpha1.ExplorePlans{Planned: 9, Done: 4, Unreached: 1}, Causes: causes}
}

// TestExploreAll: mutants whose mistakes explore looks for are explored, and so are
// those that no requirement catches. Only the latter must be found, for their own
// reason.
func TestExploreAll(t *testing.T) {
	deletion := v1alpha1.ExploredCause{
		About:      "After an edit of env, the controller deletes configmaps demo.",
		Divergence: v1alpha1.Divergence{Kind: v1alpha1.DivergenceHarm, Object: "configmaps demo", Path: "deletion", Found: "#7"},
	}
	other := v1alpha1.ExploredCause{About: "After an edit of env, a status stays wrong.", Divergence: v1alpha1.Divergence{Kind: v1alpha1.DivergenceMissing, Object: "a b"}}
	drift := candidateNamed("drift")
	drift.requirement.Area = "self-healing"
	rights := candidateNamed("rights")
	rights.requirement.Area = "rbac"
	reports := map[string]*v1alpha1.ExploreReport{
		"found": explored(other, deletion), "other-cause": explored(other), "drift": explored(),
		"nothing": {Verdict: v1alpha1.ExploredInconclusive, Reason: "no plan was carried out to its end"},
	}
	p := prover(t, nil, nil, nil)
	p.flags.explore = time.Minute
	p.explore = func(_ context.Context, c candidate, _ string) (*v1alpha1.ExploreReport, error) {
		if reports[c.Name] == nil {
			return nil, errors.New("no control plane")
		}
		return reports[c.Name], nil
	}
	m := &matrix{byExplore: []candidate{byExplore("found"), byExplore("other-cause"), byExplore("nothing"), byExplore("broken")}}
	if err := p.exploreAll(t.Context(), m, []candidate{drift, rights}); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	m.print(&out)
	text := m.exploredMarkdown()
	for _, line := range []string{
		"It found 1 of 5 mutants.",
		"| [found](reference/found.patch) | explore | killed | 5 of 9 | After an edit of env, a status stays wrong. |",
		"| [other-cause](reference/other-cause.patch) | explore | caught for another reason | 5 of 9 | After an edit of env, a status stays wrong. |",
		"| [nothing](reference/nothing.patch) | explore | inconclusive | 0 of 0 | no plan was carried out to its end |",
		"| [broken](reference/broken.patch) | explore | inconclusive | 0 of 0 | no control plane |",
		"| [drift](reference/drift.patch) | SH-004 | survived | 5 of 9 |  |",
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("the document lacks %q:\n%s", line, text)
		}
	}
	if strings.Contains(text, "rights") {
		t.Error("a mutant of another family was explored")
	}
	if line := "explored drift (SH-004): survived, 5 of 9 plans\n"; !strings.Contains(out.String(), line) {
		t.Errorf("printed, without %q:\n%s", line, out.String())
	}
	if m.proved() {
		t.Error("it is proved, though a mutant was not found that only an exploration finds")
	}
	m.explored = m.explored[:1]
	if !m.proved() {
		t.Error("it is not proved, though what only an exploration finds was found")
	}
}

// TestNotExplored: without -explore, the mutants that no requirement catches are
// listed, and do not count as survived.
func TestNotExplored(t *testing.T) {
	m := &matrix{byExplore: []candidate{byExplore("past")}}
	if !m.proved() {
		t.Error("what was not explored has survived")
	}
	text := m.markdown()
	for _, line := range []string{
		"| mutants | 0 |",
		"| [found by explore only](#found-by-explore-only), and not counted here | 1 |",
		"| [past](reference/past.patch) | The image is not compared. | many |",
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("the document lacks %q:\n%s", line, text)
		}
	}
	if strings.Contains(text, "## Explored") {
		t.Error("it tells of explorations")
	}
}

// TestExploreByCommand runs a program in place of bin/reconform. Like the command, it
// takes the folder only if the folder is empty.
func TestExploreByCommand(t *testing.T) {
	const program = `#!/bin/sh
for dir; do :; done
echo "$@"
[ -z "$(ls "$dir" 2>/dev/null)" ] || exit 2
mkdir -p "$dir"
[ "$5" = 2m0s ] || exit 0
echo '{"apiVersion": "reconform.dev/v1alpha1", "kind": "ExploreReport", "verdict": "Diverges", "plans": {"planned": 3, "done": 2}}' > "$dir/explore-report.yaml"
exit 1
`
	p := prover(t, nil, nil, nil)
	p.flags.root = t.TempDir()
	if err := os.Mkdir(filepath.Join(p.flags.root, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.flags.root, "bin", "reconform"), []byte(program), 0o755); err != nil {
		t.Fatal(err)
	}
	p.flags.explore = 2 * time.Minute
	dir := filepath.Join(p.reportDir, exploredDir, "m")
	r, err := p.exploreByCommand(t.Context(), candidateNamed("m"), dir)
	if err != nil || r.Verdict != v1alpha1.Diverges || r.Plans.Done != 2 {
		t.Errorf("report %+v, error %v", r, err)
	}
	log, err := os.ReadFile(dir + ".log")
	want := "explore --profile bin/_mutants/m/fixtures/profiles/reference.yaml --budget 2m0s --report-dir " + dir + "\n"
	if err != nil || string(log) != want {
		t.Errorf("log %q, want %q, error %v", log, want, err)
	}
	p.flags.explore = time.Minute
	if _, err := p.exploreByCommand(t.Context(), candidateNamed("m"), dir+"-2"); err == nil || !strings.Contains(err.Error(), dir+"-2.log") {
		t.Errorf("without a report: error %v, want one that names the log", err)
	}
}
