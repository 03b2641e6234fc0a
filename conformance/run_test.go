package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	for name, tc := range map[string]struct {
		how, flag string
		known     string // the file of known failures
		passes    bool
		has       []string
		lacks     []string
		called    string // the arguments that the suite was called with
	}{
		"every verdict": {
			how: "finds everything",
			has: []string{
				"--- PASS: TestInner/SH-001", "--- SKIP: TestInner/SH-002", "skipped: service is not claimed",
				"--- FAIL: TestInner/SH-003", "FAILED SH-003: It scales back.", "reason: 3 replicas, want 2", "compare replicas", "error Reconciler error error=refused (×3)", "go test -v -run '^TestInner$/^SH-003$'",
				"--- FAIL: TestInner/SH-004", "INCONCLUSIVE SH-004", "--- SKIP: TestInner/SH-005", "blocked: relies on SH-003",
				"--- FAIL: TestInner/SH-006", "FLAKY SH-006", "mine is not conformant", "starting the control plane …",
			},
			called: "run --profile=mine.yaml --report-dir=reports",
		},
		"one": {
			how: "passes", flag: "-test.run=TestInner/SH-001$", passes: true,
			has: []string{"--- PASS: TestInner/SH-001", "mine is conformant"}, lacks: []string{"SH-003"},
			called: "run --profile=mine.yaml --run=^(SH-001)$ --report-dir=reports",
		},
		"without some": {
			how: "passes", flag: "-test.skip=TestInner/SH-00[2-6]", passes: true, lacks: []string{"SH-003"},
			called: "run --profile=mine.yaml --run=^(SH-001)$ --report-dir=reports",
		},
		"one that does not apply": {
			how: "breaks", flag: "-test.run=TestInner/SH-002", passes: true,
			has: []string{"--- SKIP: TestInner/SH-002", "service is not claimed"},
		},
		"none":             {how: "breaks", flag: "-test.run=TestInner/XX-001", passes: true, has: []string{"--- SKIP: TestInner ", "go test selects no requirement"}},
		"no result of one": {how: "passes", has: []string{"--- FAIL: TestInner/SH-003", "INCONCLUSIVE: the report does not name it"}, called: "run "},
		"refused": {
			how:    "refuses",
			has:    []string{"--- FAIL: TestInner ", "exit status 2", "error: mine.yaml:3: unknown field", "--- SKIP: TestInner/SH-001", "nothing was judged"},
			called: "run ",
		},
		"known": {
			how: "fails as is known", flag: "-test.run=TestInner/SH-00[13]", known: "known.yaml", passes: true,
			has:    []string{"--- PASS: TestInner/SH-001", "--- SKIP: TestInner/SH-003", "known until 2027-01-31: in release 2 (team-web)", "FAILED SH-003: It scales back.", "3 replicas, want 2"},
			called: "run --profile=mine.yaml --run=^(SH-001|SH-003)$ --report-dir=reports --known=known.yaml",
		},
		"all pass, and the verdict is another": {
			how: "fails otherwise", flag: "-test.run=TestInner/SH-001", has: []string{"--- FAIL: TestInner ", "the verdict is NotConformant"}, called: "run ",
		},
		"broken": {how: "breaks", has: []string{"--- FAIL: TestInner ", "error: the control plane's binaries are missing"}, called: "run "},
		"not started": {
			how: "starts nothing", flag: "-test.run=TestInner/SH-001",
			has:    []string{"--- FAIL: TestInner ", "INCONCLUSIVE: it was not ready in 60s", "panic: no config", "--- SKIP: TestInner/SH-001"},
			called: "run ",
		},
		"no time": {
			how: "hangs", flag: "-test.timeout=37s",
			has:    []string{"--- PASS: TestInner/SH-001", "--- FAIL: TestInner/SH-003", "not judged, as it was interrupted", "-timeout allows more"},
			called: "run ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := inner(t, dir, tc.how)
			cmd.Env = append(cmd.Env, knownEnv+"="+tc.known)
			if tc.flag != "" {
				cmd.Args = append(cmd.Args, tc.flag)
			}
			said, err := cmd.CombinedOutput()
			if passes := err == nil; passes != tc.passes {
				t.Errorf("passes: %v, want %v", passes, tc.passes)
			}
			for _, want := range tc.has {
				if !strings.Contains(string(said), want) {
					t.Errorf("it does not say %q", want)
				}
			}
			for _, unwanted := range tc.lacks {
				if strings.Contains(string(said), unwanted) {
					t.Errorf("it says %q", unwanted)
				}
			}
			called, _ := os.ReadFile(filepath.Join(dir, "called"))
			if !strings.Contains(string(called), tc.called) || (tc.called == "") != (len(called) == 0) {
				t.Errorf("called with %q, want %q", called, tc.called)
			}
			if t.Failed() {
				t.Log(string(said))
			}
		})
	}
}

// TestOldReport: if a run is refused, or the bench breaks, the report of an earlier run
// stays, or is put back, and is not taken for its report.
func TestOldReport(t *testing.T) {
	dir := t.TempDir()
	if said, err := inner(t, dir, "passes", "-test.run=TestInner/SH-001").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	for _, how := range []string{"refuses", "breaks", "writes elsewhere"} {
		said, err := inner(t, dir, how, "-test.run=TestInner/SH-001").CombinedOutput()
		if err == nil || strings.Contains(string(said), "--- PASS: TestInner/SH-001") || !strings.Contains(string(said), "no verdict") {
			t.Errorf("%s: it took the report of an earlier run: %v\n%s", how, err, said)
		}
	}
}

// TestInterrupted: after Ctrl+C the suite cleans up and ends, and reports what was
// judged.
func TestInterrupted(t *testing.T) {
	cmd := inner(t, t.TempDir(), "hangs")
	var said strings.Builder
	cmd.Stdout = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, filepath.Join(cmd.Dir, "running"))
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if err == nil {
		t.Error("it passes")
	}
	for _, want := range []string{"--- PASS: TestInner/SH-001", "INCONCLUSIVE: not judged, as it was interrupted", "interrupt"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, said.String())
		}
	}
}

func TestNoCommand(t *testing.T) {
	dir := t.TempDir()
	cmd := inner(t, dir, "passes")
	cmd.Env = append(cmd.Env, commandEnv+"=")
	said, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(said), "go get -tool reconform.dev/reconform/cmd/reconform") {
		t.Errorf("want what to do: %v\n%s", err, said)
	}
}

// TestCommandOnThePath: a program is looked for in the folder of the test, and then on the PATH.
func TestCommandOnThePath(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := t.TempDir()
	if err := os.Symlink(self, filepath.Join(path, "the-suite")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"the-suite": "--- PASS: TestInner/SH-001", "absent-suite": "finding the program of the suite, absent-suite, in the folder of the test or on the PATH"} {
		cmd := inner(t, t.TempDir(), "passes")
		cmd.Env = append(cmd.Env, commandEnv+"="+name, "PATH="+path)
		if said, _ := cmd.CombinedOutput(); !strings.Contains(string(said), want) {
			t.Errorf("%s: want %q:\n%s", name, want, said)
		}
	}
}
