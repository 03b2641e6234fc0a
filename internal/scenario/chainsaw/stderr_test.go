package chainsaw

import (
	"strings"
	"testing"
)

// TestCommandErrors: if a command fails, the reason is what it wrote, and not its exit status
// only. What a command wrote that did not fail, or came before, is not.
func TestCommandErrors(t *testing.T) {
	const (
		change = "    sink.go:61: | 16:39:55 | cs-018 | When it changes | CMD     | "
		says   = change + "LOG |\n        === STDERR\n        "
		fails  = "\n" + change + "ERROR |\n        === ERROR\n        exit status 1\n"
		ends   = "    sink.go:61: | 16:40:02 | cs-018 | @chainsaw | CLEANUP | END |\n"
		warned = says + "Warning: old\n" + change + "DONE |\n"
	)
	for name, tc := range map[string]struct{ printed, want string }{
		"an error":                    {says + `Error from server (NotFound): deployments.apps "second" not found` + fails, `Error from server (NotFound): deployments.apps "second" not found (exit status 1)`},
		"two lines":                   {says + "a\n        b" + fails, "a b (exit status 1)"},
		"output beside it":            {change + "LOG |\n        === STDOUT\n        x\n        === STDERR\n        a" + fails, "a (exit status 1)"},
		"a long line":                 {says + "is invalid: " + strings.Repeat("x", 900) + ": field is immutable" + fails, "is invalid: " + strings.Repeat("x", 402) + "… (380 characters left out) …" + strings.Repeat("x", 118) + ": field is immutable (exit status 1)"},
		"only output":                 {change + "LOG |\n        === STDOUT\n        x" + fails, "exit status 1"},
		"nothing":                     {strings.TrimPrefix(fails, "\n"), "exit status 1"},
		"of a command that succeeded": {warned + strings.TrimPrefix(fails, "\n"), "exit status 1"},
	} {
		t.Run(name, func(t *testing.T) {
			var told string
			tests := follow(strings.NewReader(tc.printed+ends), func(event Event) {
				if event.Failure != nil {
					told = event.Failure.Message
				}
			})
			if told != tc.want {
				t.Errorf("the event says %q, want %q", told, tc.want)
			}
			merged := merge([]Test{{Name: "cs-018", Failures: []Failure{{Message: "exit status 1"}}}}, tests)
			if got := merged[0].Failures[0].Message; got != tc.want {
				t.Errorf("the result says %q, want %q", got, tc.want)
			}
		})
	}
}
