package chainsaw

import "strings"

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
	if e.logging, e.reading = m != nil && m[4] == statusLog, false; m != nil && m[4] != statusError {
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
		e.lines = append(e.lines, shortened(text))
	}
}

// mostErrorLines is how many lines of a standard error are told.
const mostErrorLines = 3

// keep notes that the operation of the last lines was the first that failed.
func (e *commandErrors) keep() { e.kept = e.lines }

// with returns a failure with what its command said.
func (e *commandErrors) with(failure Failure) Failure {
	if strings.HasPrefix(failure.Message, "exit status ") && len(e.kept) > 0 {
		failure.Message = strings.Join(e.kept, " ") + " (" + failure.Message + ")"
	}
	return failure
}

// shortened leaves out the middle of a long line: the API server quotes the whole value that it
// refuses, and says why at the end.
func shortened(line string) string {
	const begin, end = 250, 150
	letters := []rune(line)
	if len(letters) <= begin+end {
		return line
	}
	return string(letters[:begin]) + " … " + string(letters[len(letters)-end:])
}
