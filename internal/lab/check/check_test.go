package check

import (
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"reconform.dev/reconform/envtest/supervisor"
	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/steps"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/scenario/chainsaw"
	"reconform.dev/reconform/labs"
)

// every tries all. Without it only the last solution must pass what every earlier lab asks
// for, each check refuses one mistake, and a few of the other labs are judged.
var every = flag.Bool("every", false, "judge every solution by every earlier lab, all mistakes, and all debug labs and labs beyond")

var only = flag.String("labs", "", "only labs whose folder matches")

func TestMain(m *testing.M) {
	supervisor.Main()
	chainsaw.Main()
	log.SetLogger(logr.Discard()) // the bench has a log of its own
	flag.Parse()
	os.Exit(m.Run())
}

// subject is a start or a solution that is tried.
type subject struct {
	name string
	lab  *lab.Lab
	Submission
}

// TestLabs judges the start and the solution of each lab, side by side. The start fails
// the checks that the lab names, for the reason that it names. The solution reaches
// everything.
func TestLabs(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes")
	}
	starts, solutions := subjects(t)
	// What fails takes all of its time limit, and what passes takes no more for a long one.
	for n, findings := range judged(t, 0.5, starts) {
		s := starts[n]
		t.Run(s.name, func(t *testing.T) {
			if f := findings[0]; !failsAsNamed(s.lab, f) {
				t.Errorf("%s is %s, want Failed because of %q: %s", f.ID, f.Verdict, s.lab.Fails.Because, f.Found())
			}
		})
	}
	for n, findings := range judgedForSure(t, 2, solutions, func(_ int, f Finding) bool { return f.Reached() }) {
		t.Run(solutions[n].name, func(t *testing.T) {
			for _, f := range findings {
				if !f.Reached() {
					t.Errorf("it does not reach %s: %s %s", f.ID, f.Verdict, f.Found())
				} else if f.Result != nil {
					t.Logf("%s %s", f.ID, f.Result.Duration.Duration)
				}
			}
		})
	}
}

// subjects are the starts, each to be judged by what it fails, and the solutions.
func subjects(t *testing.T) (starts, solutions []subject) {
	t.Helper()
	all, err := lab.Read(labs.FS)
	if err != nil {
		t.Fatal(err)
	}
	modules := nodeModules(t)
	bundled := newBundle(t)
	var before []*lab.Lab
	for _, l := range all {
		if l.Kind != lab.Build || !regexp.MustCompile(*only).MatchString(l.Folder) {
			continue
		}
		before = append(before, l)
		failing := *l
		failing.Checks = []lab.Check{{ID: l.Fails.ID}}
		asked := []*lab.Lab{l}
		if *every || l == lastOf(all) {
			asked = append([]*lab.Lab{}, before...)
		}
		starts = append(starts, subject{l.Folder + " start", l, Submission{submitted(t, bundled, l, "start"), []*lab.Lab{&failing}}})
		solutions = append(solutions, subject{l.Folder + " solution", l, Submission{submitted(t, bundled, l, "solution"), asked}})
		if modules == "" || len(l.HintsIn[steps.Node().Name]) == 0 {
			continue
		}
		starts = append(starts,
			subject{l.Folder + " start in JavaScript", l, Submission{inNode(t, l, "start", modules), []*lab.Lab{&failing}}})
		solutions = append(solutions,
			subject{l.Folder + " solution in JavaScript", l, Submission{inNode(t, l, "solution", modules), []*lab.Lab{l}}})
	}
	bundled.build(t)
	return starts, solutions
}

// judged are the findings of all subjects, side by side.
func judged(t *testing.T, scale float64, all []subject) [][]Finding {
	t.Helper()
	var submissions []Submission
	for _, s := range all {
		submissions = append(submissions, s.Submission)
	}
	screen := report.NewConsole(io.Discard)
	defer screen.Close()
	findings, err := Judge(t.Context(), Options{Dir: t.TempDir(), TimeoutScale: scale, Console: screen}, submissions...)
	if err != nil {
		t.Fatal(err)
	}
	return findings
}

// mostAgain is how many subjects are looked at a third time. If more are not as wanted then,
// it is not due to the machine.
const mostAgain = 6

// judgedForSure is like judged, and judges again, fewer at the same time, what was not as
// wanted. Some checks compare times, and a busy machine blurs them.
func judgedForSure(t *testing.T, scale float64, all []subject, wanted func(n int, f Finding) bool) [][]Finding {
	t.Helper()
	found := make([][]Finding, len(all))
	left := make([]int, len(all))
	for n := range left {
		left[n] = n
	}
	for look, atOnce := range []int{math.MaxInt, 4, 1} {
		if look == 2 && len(left) > mostAgain {
			break
		}
		var again []int
		for group := range slices.Chunk(left, atOnce) {
			var together []subject
			for _, n := range group {
				together = append(together, all[n])
			}
			for n, findings := range judged(t, scale, together) {
				found[group[n]] = findings
				if slices.ContainsFunc(findings, func(f Finding) bool { return !wanted(group[n], f) }) {
					again = append(again, group[n])
				}
			}
		}
		left, scale = again, max(scale, 1)
	}
	return found
}

func lastOf(all []*lab.Lab) (last *lab.Lab) {
	for _, l := range all {
		if l.Kind == lab.Build {
			last = l
		}
	}
	return last
}

// submitted is the profile of a lab's start or solution, in a folder as a student has it. It
// can be judged once the bundle is built.
func submitted(t *testing.T, bundled *bundle, l *lab.Lab, point string) *profile.Profile {
	t.Helper()
	files, err := student.Files(labs.FS, l.Folder, point)
	if err != nil {
		t.Fatal(err)
	}
	return bundled.add(t, files)
}

// folderOf is the folder of a student at a point of a lab.
func folderOf(t *testing.T, l *lab.Lab, point string) string {
	t.Helper()
	dir := t.TempDir()
	files, err := student.Files(labs.FS, l.Folder, point)
	if err != nil {
		t.Fatal(err)
	}
	if err := student.Write(dir, files); err != nil {
		t.Fatal(err)
	}
	return dir
}

func loaded(t *testing.T, dir string) *profile.Profile {
	t.Helper()
	p, err := profile.Load(filepath.Join(dir, "profile.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckFiles(); err != nil {
		t.Fatal(err)
	}
	return p
}
