package labs_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// step is something that the reader of a text does, or sees.
type step struct {
	line    int    // of the text
	command string // empty: a controller prints what is expected; interrupt: after Ctrl+C
	want    []string
}

// interrupt stands for a command where the reader presses Ctrl+C.
const interrupt = "^C"

const prompt = "$ "

// stepsIn a text, in their order.
func stepsIn(t *testing.T, file string) []step {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return stepsOf(string(text))
}

func stepsOf(text string) (all []step) {
	language, runs := "", false
	for n, line := range strings.Split(text, "\n") {
		command, isCommand := strings.CutPrefix(line, prompt)
		switch fence, isFence := strings.CutPrefix(line, "```"); {
		case isFence && language != "":
			language = ""
		case isFence:
			language = fence
			if language == "text" && runs { // Before that, it is a picture.
				all = append(all, step{line: n + 1})
			}
		case language == "console" && line == interrupt:
			all = append(all, step{line: n + 1, command: interrupt})
		case language == "console" && isCommand:
			all = append(all, step{line: n + 1, command: command})
			runs = runs || isController(command)
		case language == "console" || language == "text" && runs:
			last := &all[len(all)-1]
			last.want = append(last.want, line)
		}
	}
	return all
}

func isController(command string) bool { return strings.HasPrefix(command, "./bin/controller") }

// reads tells whether a command changes nothing: it can be repeated.
func reads(command string) bool {
	for _, verb := range []string{"get", "events", "describe"} {
		if strings.HasPrefix(command, "kubectl "+verb+" ") {
			return true
		}
	}
	return false
}

func TestSteps(t *testing.T) {
	const text = "```text\na picture\n```\n\n```console\n$ ./bin/controller\n$ kubectl get pods\nNAME\ndemo\n```\n\n" +
		"```text\nStarted\n```\n\n```sh\n$ ls\n```\n\n```console\n^C\nStopped\n```\n"
	want := []step{
		{6, "./bin/controller", nil},
		{7, "kubectl get pods", []string{"NAME", "demo"}},
		{12, "", []string{"Started"}},
		{21, interrupt, []string{"Stopped"}},
	}
	if diff := cmp.Diff(want, stepsOf(text), cmp.AllowUnexported(step{})); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
}
