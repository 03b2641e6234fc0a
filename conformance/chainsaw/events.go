package chainsaw

import (
	"regexp"
	"strings"
)

// EventKind says what an Event tells of.
type EventKind int

// The kinds of events.
const (
	// Progress: a test begins an operation of a step.
	Progress EventKind = iota
	// Ended: a test is over.
	Ended
)

// Event is news of one test, while it runs.
type Event struct {
	Kind EventKind
	// Test by its name.
	Test string
	// Step and Operation that it is at, and the object concerned.
	Step, Operation, Object string
	// Passed, for an Ended event.
	Passed bool
}

// What the runner prints: go test's own closing lines, and Chainsaw's log lines
// "| time | test | step | operation | status | object".
var (
	endedLine    = regexp.MustCompile(`^\s*--- (PASS|FAIL|SKIP): chainsaw/(\S+) \(`)
	progressLine = regexp.MustCompile(`\| \d\d:\d\d:\d\d \| (\S+) \| (.*?) \| (\w+)\s* \| (\w+)\s* \|\s*(.*)$`)
)

// parseEvent makes an event of a line that the runner printed. It is false for
// lines that are of no interest, and for closing lines of tests that are not
// known, such as those of a repeated name.
func parseEvent(line string) (Event, bool) {
	if m := endedLine.FindStringSubmatch(line); m != nil {
		return Event{Kind: Ended, Test: m[2], Passed: m[1] == "PASS"}, true
	}
	if m := progressLine.FindStringSubmatch(line); m != nil {
		return Event{
			Kind: Progress, Test: m[1],
			Step: strings.TrimSpace(m[2]), Operation: strings.ToLower(m[3]), Object: strings.TrimSpace(m[5]),
		}, true
	}
	return Event{}, false
}
