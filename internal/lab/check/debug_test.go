package check

import (
	"regexp"
	"slices"
	"testing"

	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/labs"
)

// sampled debug labs are judged where not every one is: one by a requirement, one by a
// play, and one whose mistake is in a manifest.
var sampled = []string{"debug/03", "debug/06", "debug/10"}

// TestDebugLabs judges the start and the repaired controller of debug labs, by what all
// these labs ask for. The start fails what the lab names, for that reason. The repaired
// controller fails nothing.
func TestDebugLabs(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes")
	}
	all, err := lab.Read(labs.FS)
	if err != nil {
		t.Fatal(err)
	}
	all = slices.DeleteFunc(all, func(l *lab.Lab) bool {
		return l.Kind != lab.Debug || !*every && !slices.Contains(sampled, l.Folder) || !regexp.MustCompile(*only).MatchString(l.Folder)
	})
	if len(all) == 0 {
		t.Fatalf("none of the debug labs that are tried matches %s; with -every all are tried", *only)
	}
	bundled := newBundle(t)
	var tried []subject
	for _, l := range all {
		failing := *l
		failing.Checks = []lab.Check{{ID: l.Fails.ID}}
		tried = append(tried, subject{l.Folder, l, Submission{submitted(t, bundled, l, "start"), []*lab.Lab{&failing}}})
	}
	tried = append(tried, subject{"the mended one", all[0], Submission{submitted(t, bundled, all[0], "solution"), all}})
	bundled.build(t)
	scale := 1.0 // What fails takes all of its time limit.
	if *every {
		scale = 2
	}
	findings := judgedForSure(t, scale, tried, func(n int, f Finding) bool {
		return n < len(all) && failsAsNamed(all[n], f) || n == len(all) && f.Reached()
	})
	for n, l := range all {
		f := findings[n][0]
		t.Logf("%s: %s %s", l.Folder, f.ID, f.Verdict)
		if !failsAsNamed(l, f) {
			t.Errorf("%s: %s is %s, want Failed because of %q: %s", l.Folder, f.ID, f.Verdict, l.Fails.Because, f.Found())
		}
	}
	for _, f := range findings[len(all)] {
		if !f.Reached() {
			t.Errorf("the mended one does not reach %s: %s %s", f.ID, f.Verdict, f.Found())
		}
	}
}
