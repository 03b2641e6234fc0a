package chainsaw

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// verdictLine begins a line with the verdict of an object of the bench, or with the
// scheduler's words about a Pod. The runner prints it before Chainsaw's own lines about the
// failure.
const verdictLine = "reconform verdict: "

// printedVerdict is the rest of that line.
type printedVerdict struct {
	Namespace string   `json:"namespace"`
	Message   string   `json:"message"`
	Proved    bool     `json:"proved,omitempty"`
	Of        Measured `json:"of"`
	// Unscheduled has the scheduler's words about a Pod of the namespace.
	Unscheduled string `json:"unscheduled,omitempty"`
}

// printVerdict writes one line with a single write. Chainsaw does the same, so the lines are
// not mixed with each other.
func printVerdict(w io.Writer, t told) {
	data, err := json.Marshal(printedVerdict{t.namespace, t.message, t.proved, t.of, t.unscheduled})
	if err == nil {
		fmt.Fprintf(w, "%s%s\n", verdictLine, data)
	}
}

// failing collects the first failure of a test from what the runner prints. It is what is
// known before the results are written, at the end of all tests.
type failing struct {
	failure Failure
	found   bool // the operation that failed is known
	reading bool // the lines that follow are about it
}

// begin notes that an operation has failed. said is what was said during it.
func (f *failing) begin(event Event, said told) {
	if f.found {
		f.reading = false
		return
	}
	f.found = true
	f.failure = Failure{
		Step: event.Step, Operation: event.Operation, Object: event.Object,
		Message: said.message, Proved: said.proved, Of: said.of, Unscheduled: said.unscheduled,
	}
	f.reading = said.message == ""
}

// line takes a line that follows.
func (f *failing) line(line string) {
	if !f.reading {
		return
	}
	if strings.HasPrefix(line, "===") { // what follows is about another test
		f.reading = false
		return
	}
	text := strings.TrimSpace(line)
	switch {
	case text == "=== ERROR" || text == "":
	case f.failure.Message == "":
		f.failure.Message = text
	default:
		f.failure.Message += "\n" + text
	}
}

// parseVerdict reads a line of printVerdict.
func parseVerdict(line string) (told, bool) {
	text, is := strings.CutPrefix(line, verdictLine)
	var v printedVerdict
	if !is || json.Unmarshal([]byte(text), &v) != nil {
		return told{}, false
	}
	return told{namespace: v.Namespace, message: v.Message, proved: v.Proved, of: v.Of, unscheduled: v.Unscheduled}, true
}
