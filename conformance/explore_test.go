package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// standInExplores behaves as `reconform explore` does towards those who call it.
func standInExplores(how string) int {
	report := &v1alpha1.ExploreReport{Verdict: v1alpha1.Converges}
	status := 0
	switch how {
	case "refuses":
		fmt.Fprintln(os.Stderr, "error: mine.yaml:3: unknown field")
		return 2
	case "writes elsewhere":
		return 0
	case "breaks":
		report.Verdict, report.Reason, status = v1alpha1.ExploredInconclusive, "no plan was carried out to its end", 3
	case "finds what is known, and breaks":
		report.Verdict, report.Reason, status = v1alpha1.Diverges, "12 of 40 plans could not be carried out", 3
		report.Causes = []v1alpha1.ExploredCause{{ID: "EX-00000002", About: "Another one."}}
		report.Known = []v1alpha1.KnownResult{{KnownFailure: v1alpha1.KnownFailure{ID: "EX-00000002", Reason: "later", Expires: "2027-01-31"}, State: v1alpha1.KnownFails}}
	case "finds everything":
		first := v1alpha1.ExploredCase{
			Plan: "create: at create services demo: lost", Came: 2, Tries: 3, Requests: []string{"#7 create services demo"},
			Divergences: []v1alpha1.Divergence{{Kind: v1alpha1.DivergenceMissing, Object: "services demo"}},
		}
		report.Verdict, status = v1alpha1.Diverges, 1
		report.Causes = []v1alpha1.ExploredCause{
			{ID: "EX-00000001", About: "The Service is missing.", Cases: []v1alpha1.ExploredCase{first}, Reproduce: "reconform run LT-901"},
			{ID: "EX-00000002", About: "Another one.", Cases: []v1alpha1.ExploredCase{first}},
		}
		report.Known = []v1alpha1.KnownResult{{KnownFailure: v1alpha1.KnownFailure{ID: "EX-00000002", Reason: "later", Expires: "2027-01-31"}, State: v1alpha1.KnownFails}}
	}
	data, err := yaml.Marshal(report)
	if err == nil {
		err = os.MkdirAll("explore-reports", 0o700)
	}
	if err == nil {
		err = os.WriteFile(exploreFile("explore-reports"), data, 0o600)
	}
	if err != nil {
		panic(err)
	}
	fmt.Println("mine: what was found")
	return status
}

// TestExploreInner is the test of a controller that the others run in a process of its own.
func TestExploreInner(t *testing.T) {
	if os.Getenv(innerEnv) == "" {
		t.Skip("it is for the others to run")
	}
	Explore(t, ExploreOptions{Profile: "mine.yaml", Budget: time.Minute, Known: "known.yaml", Command: os.Getenv(commandEnv), Resume: true})
}

// TestExploreFlags: what is not given is left to the command.
func TestExploreFlags(t *testing.T) {
	for _, tc := range []struct {
		options ExploreOptions
		want    string
	}{
		{ExploreOptions{Profile: "mine.yaml"}, "--report-dir=explore-reports --profile=mine.yaml"},
		{
			ExploreOptions{
				Profile: "mine.yaml", Budget: time.Minute, Operations: []string{"create", "edit"}, Disturbances: []string{"conflict", "cut"}, Pairs: true, Seed: 7,
				Known: "known.yaml", ReportDir: "out", Kubernetes: "1.35", Parallel: 3,
			},
			"--report-dir=out --profile=mine.yaml --budget=1m0s --operations=create,edit --disturbances=conflict,cut --pairs=true --seed=7 --known=known.yaml " +
				"--kubernetes=1.35 --parallel=3",
		},
	} {
		if got := strings.Join(tc.options.flags(), " "); got != tc.want {
			t.Errorf("the flags are %s\nwant %s", got, tc.want)
		}
	}
}

func TestExplore(t *testing.T) {
	for name, tc := range map[string]struct {
		how    string
		passes bool
		has    []string
	}{
		"causes": {"finds everything", false, []string{
			"--- FAIL: TestExploreInner/EX-00000001", "DIVERGES EX-00000001: The Service is missing.", "came in 2 of 3 tries", "services demo is missing",
			"#7 create services demo", "reproduce with: reconform run LT-901", "--- SKIP: TestExploreInner/EX-00000002", "known until 2027-01-31: later", "mine: what was found",
		}},
		"known, and too little": {"finds what is known, and breaks", false, []string{"--- SKIP: TestExploreInner/EX-00000002", "INCONCLUSIVE: 12 of 40 plans"}},
		"nothing":               {"passes", true, []string{"--- PASS: TestExploreInner", "mine: what was found"}},
		"no plans":              {"breaks", false, []string{"INCONCLUSIVE: no plan was carried out"}},
		"refused":               {"refuses", false, []string{"nothing was explored", "exit status 2", "error: mine.yaml:3: unknown field"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := inner(t, t.TempDir(), tc.how, "-test.run=^TestExploreInner$")
			said, err := cmd.CombinedOutput()
			if passes := err == nil; passes != tc.passes {
				t.Errorf("passes: %v, want %v", passes, tc.passes)
			}
			for _, want := range tc.has {
				if !strings.Contains(string(said), want) {
					t.Errorf("it does not say %q", want)
				}
			}
			called, err := os.ReadFile(filepath.Join(cmd.Dir, "called"))
			if want := "explore --quiet --report-dir=explore-reports --profile=mine.yaml --budget=1m0s --known=known.yaml\n"; err != nil || string(called) != want {
				t.Errorf("called with %q, %v, want %q", called, err, want)
			}
			if t.Failed() {
				t.Log(string(said))
			}
		})
	}
}

// A report of an earlier exploration is not taken for that of one that was refused, and one
// that can go on does.
func TestExploreAgain(t *testing.T) {
	dir := t.TempDir()
	if said, err := inner(t, dir, "passes", "-test.run=^TestExploreInner$").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if err := os.WriteFile(filepath.Join(dir, "explore-reports", "explore-kept.jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, how := range []string{"refuses", "writes elsewhere"} {
		said, err := inner(t, dir, how, "-test.run=^TestExploreInner$").CombinedOutput()
		if err == nil || !strings.Contains(string(said), "nothing was explored") {
			t.Errorf("%s: it took the report of an earlier exploration: %v\n%s", how, err, said)
		}
	}
	called, err := os.ReadFile(filepath.Join(dir, "called"))
	if err != nil || !strings.HasSuffix(string(called), " --resume\n") {
		t.Errorf("called with %q, %v", called, err)
	}
}
