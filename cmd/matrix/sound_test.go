package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/mutant"
)

// TestEachSoundControllerIsJudged: a profile whose verdicts are not listed is that of a
// sound controller, and so is each program beside the reference.
func TestEachSoundControllerIsJudged(t *testing.T) {
	for _, pattern := range []string{"profiles/*.yaml", "variants/*/main.*", "controllers/*/main.go", "controllers/*/cmd"} {
		files, err := filepath.Glob(filepath.Join(root, "fixtures", pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", pattern, files, err)
		}
		for _, file := range files {
			name := filepath.Base(filepath.Dir(file))
			if filepath.Ext(file) == ".yaml" {
				name = strings.TrimSuffix(filepath.Base(file), ".yaml")
			}
			_, err := os.Stat(filepath.Join(root, "fixtures", "verdicts", name+".yaml"))
			if listed := err == nil; listed == slices.Contains(soundNames(), name) && name != "profile.schema" {
				t.Errorf("%s: verdicts are listed: %t; it is in soundNames: %t", file, listed, !listed)
			}
		}
	}
}

// TestSoundReadmeIsComplete: SOUND.md has a row for each sound controller.
func TestSoundReadmeIsComplete(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, mutant.Dir, soundReadme))
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, cells := range readCells(string(text)) {
		if len(cells) == 4 && slices.Contains(soundNames(), cells[0]) {
			rows = append(rows, cells[0])
		}
	}
	if diff := cmp.Diff(soundNames(), rows); diff != "" {
		t.Errorf("rows of %s (-want +got); make sound SOUND=NAME judges one, with -write-readme of bin/matrix it writes the row:\n%s", soundReadme, diff)
	}
}

// TestPartOfTheSoundReadme judges one of five: SOUND.md keeps what it said of the others.
func TestPartOfTheSoundReadme(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, mutant.Dir), 0o755); err != nil {
		t.Fatal(err)
	}
	controller := func(name string, passed int, accusations ...v1alpha1.Result) *sound {
		return &sound{name: name, summary: v1alpha1.Summary{Passed: passed, Skipped: 9}, accusations: accusations}
	}
	reference, plain := controller("reference", 150), controller("plain", 120, result("CS-006", v1alpha1.Failed, ""), result("SH-001", v1alpha1.Flaky, ""))
	missing := &sound{name: node, missing: errors.New("no <node> | none"), excused: true}
	whole := &matrix{soundTook: 90 * time.Minute, sound: []*sound{
		reference, controller("polling", 139, result("RT-005", v1alpha1.ResultInconclusive, "")), controller("nobody", 1), plain, missing,
	}}
	file := filepath.Join(root, mutant.Dir, soundReadme)
	if err := os.WriteFile(file, []byte(whole.soundMarkdown()), 0o644); err != nil {
		t.Fatal(err)
	}
	now := &matrix{soundTook: time.Minute, sound: []*sound{controller("chosen", 5), controller("polling", 140)}}
	all, err := now.withEarlierSound(root)
	if err != nil {
		t.Fatal(err)
	}
	want := &matrix{soundTook: 90 * time.Minute, sound: []*sound{reference, now.sound[0], now.sound[1], plain, missing}}
	if diff := cmp.Diff(want.soundMarkdown(), all.soundMarkdown()); diff != "" {
		t.Errorf("SOUND.md (-want +got):\n%s", diff)
	}
}
