package check

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/mistake"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/labs"
)

// sampled debug labs are judged where not every one is: one by a requirement, one by a
// play, and one whose mistake is in a manifest.
var sampled = []string{"debug/03", "debug/06", "debug/10"}

// TestDebugLabs judges what debug labs give, and the mended controller by what all of them
// ask for: the one fails what the lab names, for that reason, and the other nothing.
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
	var submissions []Submission
	for _, l := range all {
		failing := *l
		failing.Checks = []lab.Check{{ID: l.Fails.ID}}
		submissions = append(submissions, Submission{given(t, l, "start"), []*lab.Lab{&failing}})
	}
	submissions = append(submissions, Submission{given(t, all[0], "solution"), all})
	screen := report.NewConsole(io.Discard)
	defer screen.Close()
	scale := 1.0 // What fails takes all of its time limit.
	if *every {
		scale = 2
	}
	findings, err := Judge(t.Context(), Options{Dir: t.TempDir(), TimeoutScale: scale, Console: screen}, submissions...)
	if err != nil {
		t.Fatal(err)
	}
	for n, l := range all {
		f := findings[n][0]
		t.Logf("%s: %s %s", l.Folder, f.ID, f.Verdict)
		if f.Verdict != v1alpha1.Failed || !regexp.MustCompile(l.Fails.Because).MatchString(reasons(f)) {
			t.Errorf("%s: %s is %s, want Failed because of %q: %s", l.Folder, f.ID, f.Verdict, l.Fails.Because, reasons(f))
		}
	}
	for _, f := range findings[len(all)] {
		if !f.Reached() {
			t.Errorf("the mended one does not reach %s: %s %s", f.ID, f.Verdict, reasons(f))
		}
	}
}

// given is the profile of what a debug lab gives, or of its solution, built.
func given(t *testing.T, l *lab.Lab, point string) *profile.Profile {
	t.Helper()
	dir := t.TempDir()
	files, err := student.Files(labs.FS, l.Folder, point)
	if err != nil {
		t.Fatal(err)
	}
	base, err := filepath.Abs("../../../labs/" + mistake.Base)
	if err != nil {
		t.Fatal(err)
	}
	overlay := map[string]map[string]string{"Replace": {}}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(name) == ".go" {
			overlay["Replace"][filepath.Join(base, name)] = path
		}
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-overlay", filepath.Join(dir, "overlay.json"),
		"-o", filepath.Join(dir, "bin", "controller"), ".")
	build.Dir = base
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the %s of %s does not compile: %v\n%s", point, l.Folder, err, out)
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
