package check

import (
	"regexp"
	"slices"
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/labs"
)

// sampledBeyond is the one that is judged where not all are.
const sampledBeyond = "beyond/not-found"

// TestBeyond judges the start and the solution of each lab in beyond. The start fails
// the checks that the lab names, for the reason that it names. The solution reaches
// everything, and with -every also what all build labs ask for.
func TestBeyond(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes")
	}
	all, err := lab.Read(labs.FS)
	if err != nil {
		t.Fatal(err)
	}
	var tried, built []*lab.Lab
	for _, l := range all {
		switch {
		case l.Kind == lab.Build:
			built = append(built, l)
		case l.Kind == lab.Beyond && (*every || l.Folder == sampledBeyond) && regexp.MustCompile(*only).MatchString(l.Folder):
			tried = append(tried, l)
		}
	}
	// One by one: each has many requirements to meet, and that keeps the machine busy.
	for _, l := range tried {
		t.Run(l.Folder, func(t *testing.T) { judgeBeyond(t, l, built) })
	}
}

func judgeBeyond(t *testing.T, l *lab.Lab, built []*lab.Lab) {
	t.Helper()
	failing := *l // What fails takes all of its time limit: one of it is enough.
	failing.Checks = []lab.Check{{ID: l.Fails.ID}}
	asked := []*lab.Lab{l.Quick()}
	if *every {
		asked = append([]*lab.Lab{l}, without(onPurpose()[l.Folder], built)...)
	}
	bundled := newBundle(t)
	start, solution := submitted(t, bundled, l, "start"), submitted(t, bundled, l, "solution")
	bundled.build(t)
	findings := judgedForSure(t, 2, []subject{
		{l.Folder + " start", l, Submission{start, []*lab.Lab{&failing}}}, {l.Folder + " solution", l, Submission{solution, asked}},
	}, func(n int, f Finding) bool { return n == 0 && failsAsNamed(l, f) || n == 1 && f.Reached() })
	for _, f := range findings[0] {
		t.Logf("start: %s %s %s", f.ID, f.Verdict, f.Found())
		if !failsAsNamed(l, f) {
			t.Errorf("the start: %s is %s, want Failed because of %q: %s", f.ID, f.Verdict, l.Fails.Because, f.Found())
		}
	}
	for _, f := range findings[1] {
		t.Logf("solution: %s %s %s", f.ID, f.Verdict, f.Reason)
		if !f.Reached() {
			t.Errorf("the solution does not reach %s: %s %s", f.ID, f.Verdict, f.Found())
		}
	}
}

// failsAsNamed tells whether a start fails the check that the lab names, for the reason that it
// names.
func failsAsNamed(l *lab.Lab, f Finding) bool {
	return f.Verdict == v1alpha1.Failed && regexp.MustCompile(l.Fails.Because).MatchString(f.Found())
}

// onPurpose has what the solution of a lab beyond no longer does, because the lab teaches
// another way: with a finalizer, the controller deletes the children itself.
func onPurpose() map[string]string { return map[string]string{"beyond/finalizer": "owner/no-delete"} }

// without leaves out a check of the labs.
func without(id string, all []*lab.Lab) []*lab.Lab {
	var left []*lab.Lab
	for _, l := range all {
		asked := *l
		asked.Checks = slices.DeleteFunc(slices.Clone(l.Checks), func(c lab.Check) bool { return c.ID == id })
		left = append(left, &asked)
	}
	return left
}
