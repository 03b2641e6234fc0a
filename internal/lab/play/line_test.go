package play

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/process/capture"
)

// stageWith is a stage whose controller has printed a text.
func stageWith(t *testing.T, text string) *stage {
	t.Helper()
	log := filepath.Join(t.TempDir(), "subject-0.log")
	if err := os.WriteFile(log, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return &stage{log: log, namespace: "ns", patience: 10 * time.Millisecond}
}

func TestAbout(t *testing.T) {
	s := stageWith(t, "")
	for line, want := range map[string]bool{
		"Added ns/first":                                     true,
		"Added ns/first: replicas 2":                         true,
		`{"msg":"added","key":"ns/first"}`:                   true, // in any language, in any form
		"2026-01-02 INFO Added WebApp ns/first, replicas: 2": true,
		"Added ns/first-2":                                   false,
		"Added ns/firstly":                                   false,
		"Added other/first":                                  false,
		"Readded ns/first":                                   false,
		"ns/first Added":                                     false,
		"Added":                                              false,
	} {
		if got := count([]string{line}, s.about("Added", "first")) == 1; got != want {
			t.Errorf("%q is about it: %t, want %t", line, got, want)
		}
	}
}

// TestLines: a line that is not complete may still change.
func TestLines(t *testing.T) {
	if diff := cmp.Diff([]string{"one", "two"}, stageWith(t, "one\ntwo\nthr").lines()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	if lines := (&stage{log: filepath.Join(t.TempDir(), "absent")}).lines(); lines != nil {
		t.Errorf("lines of nothing: %q", lines)
	}
}

func TestExpect(t *testing.T) {
	s := stageWith(t, "Added ns/first\n")
	if err := s.expect(t.Context(), "Added", "first", 0); err != nil {
		t.Error(err)
	}
	var not *unmet
	if err := s.expect(t.Context(), "Added", "first", 1); !errors.As(err, &not) || !strings.Contains(not.found, "the last lines are:\n    Added ns/first") {
		t.Errorf("a line that was there before: %v", err)
	}
	if err := stageWith(t, "").expect(t.Context(), "Added", "first", 0); !errors.As(err, &not) || !strings.Contains(not.found, "it has printed nothing") {
		t.Errorf("no line at all: %v", err)
	}
}

// TestLastWords: nobody is told "nothing" whose output has no line feed, and what is too much to be
// read is said to be. A line of any length is shown by its beginning.
func TestLastWords(t *testing.T) {
	for name, tc := range map[string]struct{ text, want, not string }{
		"nothing":       {"", "it has printed nothing", "line"},
		"empty lines":   {"\n\n", "it has printed nothing", "the last"},
		"no line feed":  {"Added ns/first", `it has printed "Added ns/first", and no line feed`, "nothing"},
		"some lines":    {"a\nb\nc\n", "the last lines are:\n    b\n    c", "    a"},
		"a long line":   {strings.Repeat("x", 5000) + "\n", "xxx…", strings.Repeat("x", 1500)},
		"more than all": {strings.Repeat("y\n", capture.First/2), "it has printed more than 4 MB, and no more than that is read", "nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := stageWith(t, tc.text).lastWords(2); !strings.Contains(got, tc.want) || strings.Contains(got, tc.not) {
				t.Errorf("it says %.300q, want %q, and not %.40q", got, tc.want, tc.not)
			}
		})
	}
}

func TestOverlap(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want bool
	}{
		"one after the other": {"Started ns/a\nFinished ns/a\nStarted ns/b\nFinished ns/b\n", false},
		"side by side":        {"Started ns/a\nStarted ns/b\nFinished ns/a\nFinished ns/b\n", true},
		"at a second attempt": {"Started ns/a\nFinished ns/a\nStarted ns/b\nStarted ns/a\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := stageWith(t, tc.text).overlap("a", "b"); got != tc.want {
				t.Errorf("overlap is %t", got)
			}
		})
	}
}

func TestOneAtATime(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"one after the other": {"Started ns/first\nFinished ns/first\nStarted ns/first\nFinished ns/first\n", ""},
		"twice at once":       {"Started ns/first\nStarted ns/first\nFinished ns/first\nFinished ns/first\n", "started again before it was finished"},
		"never finished":      {"Started ns/first\n", "was started and not finished"},
	} {
		t.Run(name, func(t *testing.T) {
			err := oneAtATime(t.Context(), stageWith(t, tc.text))
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("it says %v, want %q", err, tc.want)
			}
		})
	}
}

// TestRules: each play has its rules, and each rule says what it asks for, and is explained.
func TestRules(t *testing.T) {
	for name := range plays() {
		for _, id := range Rules(name) {
			if of, ok := Of(id); !ok || of != name || Must(id) == "" {
				t.Errorf("%s is of %q, %t, and asks for %q", id, of, ok, Must(id))
			}
			if e := Explain(id); e.Looks == "" || e.Why == "" || e.Try == "" {
				t.Errorf("%s is explained by %+v, want what it looks at, why, and how to try it", id, e)
			}
		}
	}
	for id := range explanations() {
		if _, ok := Of(id); !ok {
			t.Errorf("%s is explained, and there is no such rule", id)
		}
	}
	if _, ok := Of("watch/nothing"); ok {
		t.Error("there is a rule watch/nothing")
	}
}

// TestFailures: what the API server says of a write from an old cache tells of no failure. What
// a controller says of somebody else's object does.
func TestFailures(t *testing.T) {
	for line, want := range map[string]bool{
		"reconciling ns/demo failed: updating Deployment demo: 500":                                                                    true,
		`{"msg":"failed","webapp":"ns/demo","error":"no room"}`:                                                                        true,
		"reconciling ns/demo failed: name conflict":                                                                                    true,
		`ns/demo failed: Deployment "demo" already exists and is not managed by WebApp`:                                                true,
		"reconciling ns/other failed: no room":                                                                                         false,
		"Finished ns/demo":                                                                                                             false,
		`ns/demo failed: creating Service demo: services "demo" already exists`:                                                        false,
		`{"msg":"failed","webapp":"ns/demo","error":"deployments.apps \"demo\" already exists"}`:                                       false,
		`ns/demo failed: Operation cannot be fulfilled on deployments.apps "demo": the object has been modified; please apply your ch`: false,
		"ns/demo failed: HTTP-Code: 409":                                                                                               false,
	} {
		if got := len(stageWith(t, line+"\n").failures("demo", 0)) == 1; got != want {
			t.Errorf("%q tells of a failure: %t, want %t", line, got, want)
		}
	}
}
