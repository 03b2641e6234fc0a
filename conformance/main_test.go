package conformance

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// The environment variables that make this test binary behave as another program.
const (
	// standInEnv makes it stand in for the suite: the value says how it behaves.
	standInEnv = "CONFORMANCE_STAND_IN"
	// innerEnv is set in a process that acts as the test of a controller, which may
	// fail.
	innerEnv = "CONFORMANCE_INNER"
	// commandEnv names the program of the suite for that test.
	commandEnv = "CONFORMANCE_COMMAND"
	// knownEnv names the file of known failures for that test.
	knownEnv = "CONFORMANCE_KNOWN"
)

func TestMain(m *testing.M) {
	if how := os.Getenv(standInEnv); how != "" && len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-test.") {
		os.Exit(standIn(how, os.Args[1:]))
	}
	os.Exit(m.Run())
}

// standIn behaves as the suite does towards those who call it.
func standIn(how string, args []string) int {
	if args[0] == "list" {
		return list(args[1:])
	}
	if err := os.WriteFile("called", []byte(strings.Join(args, " ")+"\n"), 0o600); err != nil {
		panic(err)
	}
	fmt.Fprintln(os.Stderr, "starting the control plane …")
	if args[0] == "explore" {
		return standInExplores(how)
	}
	switch how {
	case "refuses":
		fmt.Fprintln(os.Stderr, "error: mine.yaml:3: unknown field")
		return 2
	case "breaks":
		fmt.Fprintln(os.Stderr, "error: the control plane's binaries are missing")
		return 3
	case "writes elsewhere": // a folder for each of several versions of Kubernetes
		return 0
	case "hangs":
		interrupted := make(chan os.Signal, 1)
		signal.Notify(interrupted, os.Interrupt)
		touch("running")
		<-interrupted
		write(&v1alpha1.ConformanceReport{
			Verdict:  v1alpha1.Inconclusive,
			CutShort: &v1alpha1.CutShort{Reason: "it was interrupted", NotJudged: []string{"SH-003"}},
			Results: []v1alpha1.Result{
				{ID: "SH-001", Verdict: v1alpha1.Passed},
				{ID: "SH-003", Verdict: v1alpha1.Skipped, Reason: "not judged: it was interrupted"},
			},
		})
		return 3
	case "starts nothing":
		write(&v1alpha1.ConformanceReport{
			Verdict:    v1alpha1.Inconclusive,
			NotStarted: &v1alpha1.NotStarted{Reason: "it was not ready in 60s", Log: []string{"panic: no config"}},
			Results:    []v1alpha1.Result{{ID: "SH-001", Verdict: v1alpha1.Blocked, Reason: "the controller does not start"}},
		})
		return 3
	case "passes":
		write(&v1alpha1.ConformanceReport{Verdict: v1alpha1.Partial, Results: []v1alpha1.Result{{ID: "SH-001", Verdict: v1alpha1.Passed, Must: "It heals."}}})
		fmt.Println("mine is conformant")
		return 0
	case "fails as is known":
		write(&v1alpha1.ConformanceReport{
			Verdict: v1alpha1.NotConformant,
			Results: []v1alpha1.Result{{ID: "SH-001", Verdict: v1alpha1.Passed}, {ID: "SH-003", Verdict: v1alpha1.Failed, Must: "It scales back.", Reason: "3 replicas, want 2"}},
			Known:   []v1alpha1.KnownResult{{KnownFailure: v1alpha1.KnownFailure{ID: "SH-003", Reason: "in release 2", Owner: "team-web", Expires: "2027-01-31"}, State: v1alpha1.KnownFails}},
		})
		return 0
	case "fails otherwise":
		write(&v1alpha1.ConformanceReport{Verdict: v1alpha1.NotConformant, Results: []v1alpha1.Result{{ID: "SH-001", Verdict: v1alpha1.Passed}}})
		return 1
	default:
		write(every())
		fmt.Println("mine is not conformant")
		return 1
	}
}

// list some requirements: those that the pattern of --run names.
func list(args []string) int {
	type row struct {
		ID      string `json:"id"`
		Skipped string `json:"skipped,omitempty"`
	}
	rows := []row{{ID: "SH-001"}, {ID: "SH-002", Skipped: "service is not claimed"}, {ID: "SH-003"}, {ID: "SH-004"}, {ID: "SH-005"}, {ID: "SH-006"}}
	var chosen []row
	for _, r := range rows {
		if command := strings.Join(args, " "); !strings.Contains(command, "--run=") || strings.Contains(command, r.ID) {
			chosen = append(chosen, r)
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(chosen); err != nil {
		panic(err)
	}
	return 0
}

// every verdict there is.
func every() *v1alpha1.ConformanceReport {
	return &v1alpha1.ConformanceReport{Verdict: v1alpha1.NotConformant, Results: []v1alpha1.Result{
		{ID: "SH-001", Verdict: v1alpha1.Passed, Must: "It heals."},
		{ID: "SH-002", Verdict: v1alpha1.Skipped, Reason: "service is not claimed"},
		{ID: "SH-003", Verdict: v1alpha1.Failed, Must: "It scales back.", Reason: "3 replicas, want 2", Evidence: &v1alpha1.Evidence{
			Hint: "compare replicas", Log: slices.Repeat([]string{`{"level":"error","ts":"2026-11-30T21:25:30Z","msg":"Reconciler error","error":"refused"}`}, 3),
		}},
		{ID: "SH-004", Verdict: v1alpha1.ResultInconclusive, Must: "It undoes.", Reason: "the machine was busy"},
		{ID: "SH-005", Verdict: v1alpha1.Blocked, BlockedBy: "SH-003", Reason: "relies on SH-003"},
		{ID: "SH-006", Verdict: v1alpha1.Flaky, Must: "It adopts.", Reason: "failed, then passed"},
	}}
}

func write(report *v1alpha1.ConformanceReport) {
	data, err := yaml.Marshal(report)
	if err == nil {
		err = os.MkdirAll("reports", 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join("reports", "conformance-report.yaml"), data, 0o600)
	}
	if err != nil {
		panic(err)
	}
}

func touch(name string) {
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		panic(err)
	}
}

// TestInner is the test of a controller that the others run in a process of its own.
func TestInner(t *testing.T) {
	if os.Getenv(innerEnv) == "" {
		t.Skip("it is for the others to run")
	}
	Run(t, Options{Profile: "mine.yaml", Known: os.Getenv(knownEnv), Command: os.Getenv(commandEnv)})
}

// inner is go test of TestInner, in a folder, with a suite that behaves as told.
func inner(t *testing.T, dir, how string, flags ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, append([]string{"-test.v", "-test.run=^TestInner$"}, flags...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), innerEnv+"=1", standInEnv+"="+how, commandEnv+"="+self)
	return cmd
}

// await a file.
func await(t *testing.T, file string) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if _, err := os.Stat(file); err == nil {
			return
		}
		select {
		case <-t.Context().Done():
			t.Fatalf("no %s", file)
		case <-tick.C:
		}
	}
}
