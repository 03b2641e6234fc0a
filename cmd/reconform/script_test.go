package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the command lines in testdata/scripts, one script after the other, in
// this process. A script has a folder of its own, and these commands beside those of
// testscript:
//
//	reconform ARGUMENTS    the exit status is to be 0
//	! reconform ARGUMENTS  wrong usage: the exit status is to be 2, and there is only an error
//	exits N ARGUMENTS      the exit status of reconform is to be N
//	replace FILE OLD NEW   put NEW in the place of OLD, which the file has once
//
// $PROJECT is the root of the repository.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GITHUB_STEP_SUMMARY", "")
	t.Setenv("GITHUB_ACTIONS", "")
	testscript.RunT(inTurn{t}, testscript.Params{
		Dir: "testdata/scripts",
		Setup: func(e *testscript.Env) error {
			e.Setenv("PROJECT", root)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"reconform": func(s *testscript.TestScript, negated bool, args []string) {
				if !negated {
					exits(s, statusOK, args)
					return
				}
				if stdout, stderr := exits(s, statusUsage, args); stdout != "" || !strings.HasPrefix(stderr, "error: ") {
					s.Fatalf("wrong usage is to be told by an error alone")
				}
			},
			"exits": func(s *testscript.TestScript, negated bool, args []string) {
				if negated || len(args) == 0 {
					s.Fatalf("usage: exits N ARGUMENTS")
				}
				status, err := strconv.Atoi(args[0])
				s.Check(err)
				exits(s, status, args[1:])
			},
			"replace": replaceInFile,
		},
	})
}

// exits runs the command in the folder of the script, and returns what it printed.
func exits(s *testscript.TestScript, want int, args []string) (stdout, stderr string) {
	before, err := os.Getwd()
	s.Check(err)
	s.Check(os.Chdir(s.MkAbs(".")))
	var out, diagnostics bytes.Buffer
	got := execute(args, io.MultiWriter(&out, s.Stdout()), io.MultiWriter(&diagnostics, s.Stderr()))
	s.Check(os.Chdir(before))
	if got != want {
		s.Fatalf("exit status %d, want %d", got, want)
	}
	return out.String(), diagnostics.String()
}

func replaceInFile(s *testscript.TestScript, negated bool, args []string) {
	if negated || len(args) != 3 {
		s.Fatalf("usage: replace FILE OLD NEW")
	}
	text := s.ReadFile(args[0])
	if strings.Count(text, args[1]) != 1 {
		s.Fatalf("%s does not have %q once", args[0], args[1])
	}
	s.Check(os.WriteFile(s.MkAbs(args[0]), []byte(strings.Replace(text, args[1], args[2], 1)), 0o600))
}

// inTurn runs scripts one after the other, because the working folder belongs to the
// whole process.
type inTurn struct{ *testing.T }

func (t inTurn) Parallel() {}

func (t inTurn) Verbose() bool { return testing.Verbose() }

func (t inTurn) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(inTurn{t}) })
}
