package check

import (
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/envtest/supervisor"
	"reconform.dev/reconform/internal/chainsaw"
	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/labs"
)

// every has every solution pass what every earlier lab asks for. Without it that is done
// with the last one: the others are in between.
var every = flag.Bool("every", false, "judge every solution by every earlier lab")

var only = flag.String("labs", "", "only labs whose folder matches")

func TestMain(m *testing.M) {
	supervisor.Main()
	chainsaw.Main()
	log.SetLogger(logr.Discard()) // the bench has a log of its own
	flag.Parse()
	os.Exit(m.Run())
}

// TestLabs judges the start and the solution of each lab, side by side: the start fails
// what the lab names, for that reason, and the solution reaches all.
func TestLabs(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes")
	}
	all, err := lab.Read(labs.FS)
	if err != nil {
		t.Fatal(err)
	}
	type expected struct {
		what  string
		start *lab.Lab // nil: it is a solution
	}
	var expect []expected
	var submissions []Submission
	var before []*lab.Lab
	for _, l := range all {
		if l.Kind != lab.Build || !regexp.MustCompile(*only).MatchString(l.Folder) {
			continue
		}
		before = append(before, l)
		expect = append(expect, expected{l.Folder + " start", l}, expected{l.Folder + " solution", nil})
		failing := *l // What fails takes all of its time limit: one of it is enough.
		failing.Checks = []lab.Check{{ID: l.Fails.ID}}
		submissions = append(submissions, Submission{submitted(t, l, "start"), []*lab.Lab{&failing}})
		asked := []*lab.Lab{l}
		if *every || l == lastOf(all) {
			asked = append([]*lab.Lab{}, before...)
		}
		submissions = append(submissions, Submission{submitted(t, l, "solution"), asked})
	}
	dir := t.TempDir()
	screen := report.NewConsole(io.Discard)
	defer screen.Close()
	findings, err := Judge(t.Context(), Options{Dir: dir, TimeoutScale: 2, Console: screen}, submissions...)
	if err != nil {
		t.Fatal(err)
	}
	for n, e := range expect {
		t.Run(e.what, func(t *testing.T) {
			for _, f := range findings[n] {
				took := time.Duration(0)
				if f.Result != nil {
					took = f.Result.Duration.Duration
				}
				t.Logf("%s %s %s %s", f.ID, f.Verdict, took, reasons(f))
				if e.start == nil && !f.Reached() {
					t.Errorf("the solution does not reach %s: %s %s", f.ID, f.Verdict, reasons(f))
				}
				if e.start != nil && f.ID == e.start.Fails.ID {
					if f.Verdict != v1alpha1.Failed || !regexp.MustCompile(e.start.Fails.Because).MatchString(reasons(f)) {
						t.Errorf("the start: %s is %s, want Failed because of %q: %s", f.ID, f.Verdict, e.start.Fails.Because, reasons(f))
					}
				}
			}
		})
	}
}

func lastOf(all []*lab.Lab) (last *lab.Lab) {
	for _, l := range all {
		if l.Kind == lab.Build {
			last = l
		}
	}
	return last
}

// reasons are all that a finding says of why.
func reasons(f Finding) string {
	text := f.Reason
	if f.Result != nil && f.Result.Evidence != nil {
		text += "\n" + f.Result.Evidence.Step + "\n" + f.Result.Evidence.Difference
	}
	return text
}

// submitted is the profile of a lab's start or solution, built, in a folder as a student
// has it.
func submitted(t *testing.T, l *lab.Lab, point string) *profile.Profile {
	t.Helper()
	dir := t.TempDir()
	files, err := student.Files(labs.FS, l.Folder, point)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", filepath.Join(dir, "bin", "controller"),
		fmt.Sprintf("./labs/%s/%s", l.Folder, point))
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s of %s does not compile: %v\n%s", point, l.Folder, err, out)
	}
	p, err := profile.Load(filepath.Join(dir, "profile.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckFiles(); err != nil {
		t.Fatal(err)
	}
	return p
}
