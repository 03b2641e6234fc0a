package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/mutant"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// patch writes a mutant of the reference into a repository.
func patch(t *testing.T, root, name, caughtBy string) {
	t.Helper()
	text := "Mistake: The image is <set> once | never again.\nSeen-In: a | b\nCaught-By: " + caughtBy + "\nBecause: image\n" +
		"\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"
	file := filepath.Join(root, mutant.Dir, "reference", name+".patch")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestPartOfTheReadme judges two of six mutants: the README keeps what it said of the others.
func TestPartOfTheReadme(t *testing.T) {
	requirements, err := catalogue.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for name, caughtBy := range map[string]string{
		"kept": "RC-001", "survivor": "RC-001", "judged": "RC-001", "new": "SH-004", "moved": "SH-004", "searched": mutant.Explore, "unjudged": "RC-001",
	} {
		patch(t, root, name, caughtBy)
	}
	mutants, err := mutant.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	result := func(name, caughtBy string, v verdict, reason string, others ...string) finding {
		f := finding{verdict: v, reason: reason, others: others}
		for _, m := range mutants {
			if m.Name == name {
				f.Mutant = m
			}
		}
		for _, r := range requirements {
			if r.ID == caughtBy {
				f.requirement = r
			}
		}
		return f
	}
	again := func(f finding) finding { f.again = true; return f }
	whole := &matrix{all: true, took: 44 * time.Minute, findings: []finding{
		again(result("kept", "RC-001", killed, "expected a <b> | c", "SH-001", "SH-002")), result("survivor", "RC-001", survived, ""),
		again(result("judged", "RC-001", killed, "as it was")), result("moved", "RC-001", killed, "by another"),
	}}
	if err := os.WriteFile(filepath.Join(root, mutant.Dir, readme), []byte(whole.markdown()), 0o644); err != nil {
		t.Fatal(err)
	}

	now := []finding{result("judged", "RC-001", killed, "as it is"), result("new", "SH-004", killed, "new")}
	part := &matrix{all: true, took: time.Minute, findings: now}
	all, err := part.withEarlier(root, requirements)
	if err != nil {
		t.Fatal(err)
	}
	want := &matrix{all: true, took: 44 * time.Minute, findings: append(now, whole.findings[:2]...), byExplore: []candidate{{Mutant: result("searched", "", killed, "").Mutant}}}
	if diff := cmp.Diff(want.markdown(), all.markdown()); diff != "" {
		t.Errorf("README.md (-want +got):\n%s", diff)
	}
}
