package chainsaw

import (
	"strings"

	"reconform.dev/reconform/internal/record/sanitize"
)

// commandErrors collects what a command of a scenario wrote to its standard error before it
// failed. Chainsaw's own error says only "exit status 1".
type commandErrors struct {
	logging, reading bool // lines of an operation's output, and those of its standard error
	lines            []string
	kept             []string // those of the operation that failed first
}

// begin takes a progress line of the test.
func (e *commandErrors) begin(line string) {
	m := progressLine.FindStringSubmatch(line)
	e.logging, e.reading = m != nil && m[4] == statusLog, false
	if m != nil && m[4] != statusError {
		e.lines = nil
	}
}

// line takes a line that follows.
func (e *commandErrors) line(line string) {
	switch text := strings.TrimSpace(line); {
	case !e.logging:
	case strings.HasPrefix(text, "=== "):
		e.reading = text == "=== STDERR"
	case e.reading && text != "" && len(e.lines) < mostErrorLines:
		e.lines = append(e.lines, sanitize.Cut(text, mostErrorLine))
	}
}

const (
	// mostErrorLines is how many lines of a standard error are told.
	mostErrorLines = 3
	// mostErrorLine is how many characters of a line are told. The API server quotes the whole
	// value that it refuses, and says why at the end.
	mostErrorLine = 600
)

// keep notes that the operation of the last lines was the first that failed.
func (e *commandErrors) keep() { e.kept = e.lines }

// with returns a failure with what its command said.
func (e *commandErrors) with(failure Failure) Failure {
	if strings.HasPrefix(failure.Message, "exit status ") && len(e.kept) > 0 {
		failure.Message = strings.Join(e.kept, " ") + " (" + failure.Message + ")"
	}
	return failure
}
