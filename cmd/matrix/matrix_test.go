package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/runner"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

func TestFlags(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"none":                     {nil, ""},
		"everything":               {[]string{"-all", "-write-readme", "-parallel", "3"}, ""},
		"a README of a part":       {[]string{"-write-readme"}, "-write-readme needs -all: the README lists everything"},
		"a README of some of them": {[]string{"-all", "-only", "mutants", "-run", "a", "-write-readme"}, ""},
		"no expression":            {[]string{"-run", "("}, "-run: error parsing regexp: missing closing ): `(`"},
		"no folder":                {[]string{"-report-dir", ""}, "-report-dir is empty"},
		"less than nothing":        {[]string{"-parallel", "-1"}, "-parallel is -1; it must be at least 1"},
		"no time to explore":       {[]string{"-explore", "-1m"}, "-explore is -1m0s; it must be longer than 0, as in 2m"},
		"a version":                {[]string{"-all", "-only", "sound", "-kubernetes", "1.35"}, ""},
		"a version that is not":    {[]string{"-kubernetes", "1.33"}, `-kubernetes: there is no control plane of Kubernetes "1.33"; there is: v1.34.4, v1.35.4, v1.36.3, v1.37.2`},
		"a README of a version":    {[]string{"-all", "-write-readme", "-kubernetes", "1.35"}, "-kubernetes is for the control planes of requirements: leave out -kubeconfig, -write-readme and -explore"},
		"a version of a cluster":   {[]string{"-kubeconfig", "f", "-kubernetes", "1.35"}, "-kubernetes is for the control planes of requirements: leave out -kubeconfig, -write-readme and -explore"},
		"what is not a flag":       {[]string{"all"}, "unexpected argument all: all arguments are flags (see -help)"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			if _, err := parseFlags(tc.args, io.Discard); err != nil {
				got = err.Error()
			}
			if got != tc.want {
				t.Errorf("parseFlags = %q, want %q", got, tc.want)
			}
		})
	}
}

func TestExitStatus(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want int
	}{
		"help":             {[]string{"-help"}, statusOK},
		"an unknown flag":  {[]string{"-fast"}, statusUsage},
		"no mutants there": {[]string{"-root", t.TempDir()}, statusUsage},
	} {
		if got := execute(tc.args, io.Discard, io.Discard); got != tc.want {
			t.Errorf("%s: exit status %d, want %d", name, got, tc.want)
		}
	}
}

// prover is a proving in which the runner says what the test wants.
func prover(t *testing.T, all map[string][]v1alpha1.Result, one *v1alpha1.ConformanceReport, err error) *proving {
	t.Helper()
	requirements, readErr := catalogue.Embedded()
	if readErr != nil {
		t.Fatal(readErr)
	}
	screen := report.NewConsole(io.Discard)
	t.Cleanup(screen.Close)
	return &proving{
		flags: &flags{root: root}, requirements: requirements, console: screen, reportDir: t.TempDir(),
		runAll: func(context.Context, []*runner.Implementation, runner.Options) (map[string][]v1alpha1.Result, error) {
			return all, err
		},
		run: func(context.Context, *runner.Plan, runner.Options) (*v1alpha1.ConformanceReport, error) {
			return one, err
		},
	}
}

func TestMatrix(t *testing.T) {
	wide := built(t, "wide", same)
	wide.requirement.ID, wide.requirement.WholeRun, wide.CaughtBy = "RB-002", true, "RB-002"
	chosen := []candidate{built(t, "image", same), built(t, "other", same), wide}
	reference, err := profile.Load(filepath.Join(root, "fixtures/profiles/reference.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	report := &v1alpha1.ConformanceReport{
		Summary: v1alpha1.Summary{Passed: 100, Failed: 1},
		Results: []v1alpha1.Result{
			result("RB-002", v1alpha1.Failed, "image/pull: a wildcard"), result("SH-001", v1alpha1.ResultInconclusive, "etcd died"),
		},
	}
	p := prover(t, map[string][]v1alpha1.Result{
		"image": {result("SH-004", v1alpha1.Failed, "image: Invalid value"), result("RC-005", v1alpha1.Failed, "no")},
		"other": {result("SH-004", v1alpha1.Passed, "")},
	}, report, nil)
	m := &matrix{all: true, sound: []*sound{{name: "reference", profile: reference}, {name: node, missing: errors.New("no Node.js"), excused: true}}}
	if err := p.fill(t.Context(), m, chosen); err != nil {
		t.Fatal(err)
	}
	m.took, m.soundTook = 80*time.Second, 10*time.Second
	if m.proved() {
		t.Error("it is proved, though one survives")
	}
	if err := p.write(m); err != nil {
		t.Fatal(err)
	}
	document, err := os.ReadFile(filepath.Join(p.reportDir, "matrix.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"| mutants | 3 |",
		"| killed, for the reason named | 2 (66.67 %) |",
		"| false accusations | 2 |",
		"| [image](reference/image.patch) | The image is not compared. | many | SH-004 | image: Invalid value | RC-005 |",
		"| [other](reference/other.patch) | The image is not compared. | many | SH-004 | **survived** |  |",
		"| reference | 100 | 0 | RB-002 (failed), SH-001 (inconclusive) |",
		"| node |  |  | not run: no Node.js |",
	} {
		if !strings.Contains(string(document), line+"\n") {
			t.Errorf("the document lacks %q:\n%s", line, document)
		}
	}
	var out bytes.Buffer
	m.print(&out)
	dir := p.reportDir
	want := `
other: survived, by SH-004
  mistake: The image is not compared.
  must: A foreign image is undone.
  reason given: none
  expected: image
  others that failed: none
  history: ` + dir + `/sessions/look-3-1
  by hand: bin/reconform run --profile bin/_mutants/other/fixtures/profiles/reference.yaml --run '^SH-004$'

false accusation of reference: RB-002 Failed
  reason given: image/pull: a wildcard
  history: ` + dir + `/sound/reference
  by hand: bin/reconform run --profile reference --run '^RB-002$'

false accusation of reference: SH-001 Inconclusive
  reason given: etcd died
  history: ` + dir + `/sound/reference
  by hand: bin/reconform run --profile reference --run '^SH-001$'

3 mutants: 2 killed, 1 survived; 1 sound controller: 2 false accusations; 1m30s
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

func TestLookAgain(t *testing.T) {
	p := prover(t, nil, nil, nil)
	var looks []int // how many ran side by side; 0 leaves it to the runner
	p.runAll = func(_ context.Context, implementations []*runner.Implementation, o runner.Options) (map[string][]v1alpha1.Result, error) {
		looks = append(looks, o.Parallel)
		results := map[string][]v1alpha1.Result{}
		for _, i := range implementations {
			v := v1alpha1.Failed
			if i.Name == "stubborn" || i.Name == "late" && len(looks) == 1 || i.Name == "latest" && len(looks) <= 2 {
				v = v1alpha1.Passed
			}
			results[i.Name] = []v1alpha1.Result{result("SH-004", v, "image: Invalid value")}
		}
		return results, nil
	}
	m := &matrix{}
	if err := p.fill(t.Context(), m, []candidate{built(t, "early", same), built(t, "late", same), built(t, "latest", same), built(t, "stubborn", same)}); err != nil {
		t.Fatal(err)
	}
	m.took, m.soundTook = 0, 0
	if diff := cmp.Diff([]int{0, fewerPerCore * runtime.GOMAXPROCS(0), runtime.GOMAXPROCS(0)}, looks); diff != "" {
		t.Errorf("side by side (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("4 mutants: 3 killed (2 when looked at again), 1 survived; 0s", m.figures()); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
	if line := "| of these only when looked at again, with fewer at the same time | late, latest |\n"; !strings.Contains(m.markdown(), line) {
		t.Errorf("the document lacks %q:\n%s", line, m.markdown())
	}
	if m.proved() {
		t.Error("it is proved, though one survives")
	}
}

func TestBrokenBench(t *testing.T) {
	broken := errors.New("etcd died")
	p := prover(t, nil, nil, broken)
	err := p.fill(t.Context(), &matrix{}, []candidate{built(t, "a", same)})
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
}

func TestProved(t *testing.T) {
	dead, alive := finding{verdict: killed}, finding{verdict: survived}
	missing := errors.New("not built")
	for name, tc := range map[string]struct {
		matrix matrix
		want   bool
	}{
		"all killed":             {matrix{findings: []finding{dead, dead}}, true},
		"one survives":           {matrix{findings: []finding{dead, alive}}, false},
		"one accused":            {matrix{sound: []*sound{{accusations: make([]v1alpha1.Result, 1)}}}, false},
		"one not there":          {matrix{sound: []*sound{{missing: missing}}}, false},
		"one that needs Node.js": {matrix{sound: []*sound{{missing: missing, excused: true}}}, true},
	} {
		if got := tc.matrix.proved(); got != tc.want {
			t.Errorf("%s: proved = %t", name, got)
		}
	}
}
