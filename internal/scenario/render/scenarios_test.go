package render

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pmezard/go-difflib/difflib"
	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/internal/profile"
)

var update = flag.Bool("update", false, "write the golden files again")

const scenariosDir = "../../../scenarios"

// scenarioFiles are the project's own scenarios.
func scenarioFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(scenariosDir, "*", "*", FileName))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios in %s: %v", scenariosDir, err)
	}
	return files
}

func builtin(t *testing.T, name string) *profile.Profile {
	t.Helper()
	p, err := profile.Resolve(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// decoded is the content of a YAML document, without its layout.
func decoded(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// beyondReference are the scenarios that are about what the reference does not have.
var beyondReference = names("rc-014")

// TestReferenceChangesNothing compares every scenario, rendered for the reference, with
// itself with its templates inlined.
func TestReferenceChangesNothing(t *testing.T) {
	p := builtin(t, "reference")
	for _, file := range scenarioFiles(t) {
		s, err := load(file, os.ReadFile)
		if err != nil {
			t.Error(err)
			continue
		}
		r, err := Render(s, p)
		if skip := (*Skip)(nil); errors.As(err, &skip) && beyondReference[s.Name] {
			continue
		}
		if err != nil {
			t.Error(err)
			continue
		}
		got, err := r.YAML()
		if err != nil {
			t.Fatal(err)
		}
		remove(at(s.root, "metadata", "labels"), labelAny)
		want, err := yaml.Marshal(s.root)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(withoutBindings(t, want), withoutBindings(t, got)); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
		if _, err := r.ForRun(RunOptions{TimeoutScale: 0.1, WindowScale: 0.5}); err != nil {
			t.Error("as a quick check of a lab runs it:", err)
		}
	}
}

// withoutBindings leaves out the test's bindings, which get the profile's
// values.
func withoutBindings(t *testing.T, data []byte) any {
	t.Helper()
	v := decoded(t, data)
	delete(v.(map[string]any)["spec"].(map[string]any), "bindings")
	return v
}

// TestSampleController compares what is rendered for sample-controller with files that
// a person has read: one for each area, with the differences to the scenarios for the
// reference.
func TestSampleController(t *testing.T) {
	var scenarios []*Scenario
	for _, file := range scenarioFiles(t) {
		s, err := load(file, os.ReadFile)
		if err != nil {
			t.Error(err)
			continue
		}
		scenarios = append(scenarios, s)
	}
	// By ID, so that a new scenario comes last and changes nothing before it.
	slices.SortFunc(scenarios, func(a, b *Scenario) int { return strings.Compare(a.Name, b.Name) })
	areas := map[string]*golden{}
	for _, s := range scenarios {
		area := filepath.Dir(filepath.Dir(s.File))
		if _, err := os.Stat(filepath.Join(area, "contract.yaml")); err == nil {
			continue // It has a contract of its own, which is not sample-controller's.
		}
		area = filepath.Base(area)
		if areas[area] == nil {
			areas[area] = &golden{pieces: map[string]int{}}
		}
		areas[area].add(difference(t, s, builtin(t, "sample-controller")))
	}
	for area, golden := range areas {
		got := strings.Join(golden.lines, "\n") + "\n"
		golden := filepath.Join("testdata", "sample-controller", area+".diff")
		if *update {
			if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Errorf("%v: read what `go test ./internal/scenario/render -run SampleController -update` writes", err)
			continue
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s: %s", area, diff)
		}
	}
}

// golden is the content of one file: differences, cut into numbered pieces. Each piece
// is written out where it comes first.
type golden struct {
	lines  []string
	pieces map[string]int
}

// hunk is where a piece of a difference begins, by the numbers of its lines,
// which change with everything above.
var hunk = regexp.MustCompile(`(?m)^@@ .*\n`)

func (g *golden) add(difference string) {
	pieces := hunk.Split(strings.TrimSuffix(difference, "\n"), -1)
	g.lines = append(g.lines, strings.TrimSuffix(pieces[0], "\n"))
	for _, piece := range pieces[1:] {
		piece = strings.TrimSuffix(piece, "\n")
		number, again := g.pieces[piece]
		if !again {
			number = len(g.pieces) + 1
			g.pieces[piece] = number
			g.lines = append(g.lines, fmt.Sprintf("@@ %d", number), piece)
		} else if last := &g.lines[len(g.lines)-1]; strings.HasPrefix(*last, "@@ again ") {
			*last += fmt.Sprintf(", %d", number)
		} else {
			g.lines = append(g.lines, fmt.Sprintf("@@ again %d", number))
		}
	}
	g.lines = append(g.lines, "")
}

// inWordsOf puts the profile's kind in the place of WebApp where a report may quote the
// scenario: everywhere but in comments and in what is compared.
func inWordsOf(p *profile.Profile, text string) string {
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		compared := strings.Contains(line, "kind: WebApp") || strings.Contains(line, "'WebApp'")
		if !compared && !strings.HasPrefix(strings.TrimSpace(line), "#") {
			lines[i] = p.InItsWords(line)
		}
	}
	return strings.Join(lines, "")
}

// difference is how a scenario for a profile differs from that for the reference, or
// why there is none for that profile.
func difference(t *testing.T, s *Scenario, p *profile.Profile) string {
	t.Helper()
	var texts []string
	for _, p := range []*profile.Profile{builtin(t, "reference"), p} {
		r, err := Render(s, p)
		if beyondReference[s.Name] && len(texts) == 0 {
			r, err = &Rendered{Scenario: s, root: s.root}, nil
		}
		if skip := (*Skip)(nil); errors.As(err, &skip) {
			return "# " + skip.Error() + "\n"
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := r.YAML()
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	texts[0] = inWordsOf(p, texts[0])
	diff, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: difflib.SplitLines(texts[0]), B: difflib.SplitLines(texts[1]), FromFile: s.Name, ToFile: p.Name, Context: 0,
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff == "" {
		return "# " + s.Name + " is the same\n"
	}
	return diff
}
