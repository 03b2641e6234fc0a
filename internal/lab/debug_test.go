package lab_test

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/mistake"
	"reconform.dev/reconform/internal/lab/play"
	"reconform.dev/reconform/internal/lab/steps"
	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/internal/mutant"
	"reconform.dev/reconform/labs"
)

func debugLabs(t *testing.T) []*lab.Lab {
	t.Helper()
	return slices.DeleteFunc(read(t), func(l *lab.Lab) bool { return l.Kind != lab.Debug })
}

// TestDebugNamesItsMutant: each mistake is that of a mutant. The lab asks for the
// requirement that catches the mutant, or for a play if that takes too long for a
// student.
func TestDebugNamesItsMutant(t *testing.T) {
	mutants, err := mutant.Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, l := range debugLabs(t) {
		n := slices.IndexFunc(mutants, func(m mutant.Mutant) bool { return m.Base+"/"+m.Name == l.Mutant })
		switch {
		case n < 0:
			t.Errorf("%s: there is no mutant %s", l.Folder, l.Mutant)
		case seen[l.Mutant]:
			t.Errorf("%s: another lab has the mutant %s, too", l.Folder, l.Mutant)
		case l.Mistake == "":
			t.Errorf("%s does not say what its mistake is", l.Folder)
		}
		seen[l.Mutant] = true
		if _, played := play.Of(l.Fails.ID); !played && n >= 0 && mutants[n].CaughtBy != l.Fails.ID {
			t.Errorf("%s is caught by %s, and its mutant by %s", l.Folder, l.Fails.ID, mutants[n].CaughtBy)
		}
	}
}

// TestDebugGivesNothingAway: no file that a student gets contains the patch or names
// it.
func TestDebugGivesNothingAway(t *testing.T) {
	neutral := regexp.MustCompile(`^debug/[0-9]{2}$`)
	for _, l := range debugLabs(t) {
		if !neutral.MatchString(l.Folder) {
			t.Errorf("the name of %s may say too much", l.Folder)
		}
		dir := t.TempDir()
		if _, err := student.Start(labs.FS, l.Folder, steps.Go(), dir); err != nil {
			t.Error(err)
			continue
		}
		patch, err := fs.ReadFile(labs.FS, path.Join(l.Folder, mistake.File))
		if err != nil {
			t.Error(err)
			continue
		}
		secrets := []string{l.Mistake, l.Mutant, path.Base(l.Mutant), mistake.File, "diff --git", "\n+++ ", "\n@@ ", "\n-\t"}
		for _, hint := range l.Hints {
			secrets = append(secrets, hint.Text)
		}
		for name, text := range contents(t, dir) {
			for _, secret := range secrets {
				if strings.Contains(text, secret) {
					t.Errorf("%s: %s has %q", l.Folder, name, secret)
				}
			}
			if name != "README.md" {
				continue
			}
			for line := range strings.Lines(string(patch)) {
				code := strings.TrimSpace(strings.TrimLeft(line, "+-"))
				if (line[0] == '-' || line[0] == '+') && len(code) > len("return nil") && strings.Contains(text, code) {
					t.Errorf("%s: its text has a line of the patch: %s", l.Folder, code)
				}
			}
		}
	}
}

// contents of the files of a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		t.Fatalf("%v: %v", entries, err)
	}
	texts := map[string]string{}
	for _, entry := range entries {
		text, err := os.ReadFile(path.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		texts[entry.Name()] = string(text)
	}
	return texts
}
