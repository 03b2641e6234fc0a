package capture

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The lines of a stack: in Go its head and the two lines of a frame, with the arguments of
// the function in a panic, and without them in what a logger such as zap writes; elsewhere
// one frame of JavaScript, the JVM, or Python.
var (
	goroutine  = regexp.MustCompile(`^goroutine \d+ .*\[.*\]:$`)
	goFunction = regexp.MustCompile(`^(?:created by )?[\w.\-/*()%\[\]{}·, ]+\(.*\)$|^created by \S+|^[\w/~%-][\w.\-/~%]*\.[\w.\-/()*\[\]{}·,]+$`)
	goPlace    = regexp.MustCompile(`^\t\S+\.(?:go|s):\d+`)
	otherFrame = regexp.MustCompile(`^\s+at .*[:(].*\)?$|^\s+File ".*", line \d+`)
	// stackField matches a field of a line of JSON that holds a stack, as zap writes it.
	// errorVerbose repeats the error, with the stack of where it was made.
	stackField = regexp.MustCompile(`,\s*"(?:stacktrace|stack_trace|stack|errorVerbose)":\s*"(?:[^"\\]|\\.)*"`)
	// machinery matches frames of runtimes and libraries, which say nothing about a
	// controller.
	machinery = regexp.MustCompile(`^(?:created by )?(?:panic\(|runtime[./]|internal/|testing\.|net/|sync\.|reflect\.|golang\.org/|k8s\.io/|sigs\.k8s\.io/)|node:|node_modules/|java\.base/|site-packages/`)
	// farewell matches the last line that a runtime prints.
	farewell = regexp.MustCompile(`^(?:exit status \d+|Node\.js v[\d.]+|goroutine running on other thread; stack unavailable|\s*\^+\s*)$`)
)

// WithoutStack leaves out the frames of stacks from what a process wrote. Of each stack it
// keeps the first frame of the process's own code, because that is where to look. It also
// keeps the message of a panic or an exception.
func WithoutStack(lines []string) []string {
	var kept []string
	left, own := 0, false // of the stack that is being read
	end := func() {
		if left > 0 {
			kept = append(kept, fmt.Sprintf("(%d lines of the stack left out)", left))
		}
		left, own = 0, false
	}
	for n := 0; n < len(lines); n++ {
		line := withoutStackField(lines[n])
		inGo := goFunction.MatchString(line) && n+1 < len(lines) && goPlace.MatchString(lines[n+1])
		switch {
		case goroutine.MatchString(line):
			left++
		case inGo && !own && !machinery.MatchString(line):
			own = true
			kept = append(kept, line, lines[n+1])
			n++
		case inGo:
			left += 2
			n++
		case goPlace.MatchString(line):
			left++
		case otherFrame.MatchString(line) && !own && !machinery.MatchString(line):
			own = true
			kept = append(kept, line)
		case otherFrame.MatchString(line):
			left++
		case line == "" && left > 0:
			left++ // between two goroutines
		default:
			end()
			kept = append(kept, line)
		}
	}
	end()
	return kept
}

// withoutStackField returns a line of a structured log without the field that holds a stack.
func withoutStackField(line string) string {
	if !strings.HasPrefix(line, "{") {
		return line
	}
	return stackField.ReplaceAllString(line, "")
}

// refusedFlag matches what the flag packages of Go and others say before their usage text.
var refusedFlag = regexp.MustCompile(`^(?:[^ ]+: )?(?:(?i:error: )?(?:flag provided but not defined: |unknown flag: |unknown shorthand flag: |flag needs an argument: )|` +
	`invalid (?:boolean )?value .* for (?:flag )?-|[^ ]+: error: (?:unrecognized arguments|argument ))`)

// LastWord returns the line that tells why a process ended, or "". If it panicked, that is
// the line of the panic. If it refused a flag, that is the line that says so: the usage text
// follows it. Otherwise it is the last line that is not part of a stack and not a runtime's
// farewell.
func LastWord(lines []string) string {
	last := ""
	for _, line := range lines {
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return line
		}
	}
	for _, line := range slices.Backward(lines) {
		if refusedFlag.MatchString(line) {
			return line
		}
	}
	for n, line := range lines {
		frame := goroutine.MatchString(line) || goPlace.MatchString(line) || otherFrame.MatchString(line) ||
			goFunction.MatchString(line) && n+1 < len(lines) && goPlace.MatchString(lines[n+1])
		if !frame && !farewell.MatchString(line) && strings.TrimSpace(line) != "" {
			last = withoutStackField(line)
		}
	}
	return last
}
