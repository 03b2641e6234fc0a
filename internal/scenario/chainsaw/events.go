package chainsaw

import (
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// EventKind says what an Event is about.
type EventKind int

// The kinds of events.
const (
	// Progress: a test begins an operation of a step.
	Progress EventKind = iota
	// Ended: a test has ended.
	Ended
)

// Event is news about one test while it runs.
type Event struct {
	Kind EventKind
	// Test is the name of the test.
	Test string
	// Step, Operation and Object say what the test is doing, and to which object.
	Step, Operation, Object string
	// Acts is what the test itself begins to write or to run now: "patch Deployment demo",
	// or a command line; empty if this is not news about that.
	Acts string
	// GivenUp is what the operation waited for, if it failed because it was ended: see
	// [Endings].
	GivenUp string
	// Failed is the first step that has failed so far; empty if none has.
	Failed string
	// Failure is the first operation that failed, in an event of kind Ended; nil if none has.
	// The result of the test may know more of it.
	Failure *Failure
}

// Object is an object as Chainsaw's log names it.
type Object struct {
	Kind schema.GroupKind
	// Resource is what the resource of a kind is usually called: gateways of Gateway, but also
	// elasticsearchs of Elasticsearch. Only who has the definition knows it.
	Resource schema.GroupResource
	// Namespace is empty if the log names none.
	Namespace string
	// Name is * if several may be meant.
	Name string
}

// named matches an object in Chainsaw's log: apps/v1/Deployment @ namespace/demo.
var named = regexp.MustCompile(`^(?:([^/ ]+)/)?(v\d[^/ ]*)/(\w+) @ (?:([^/ ]+)/)?([^/ ]+)$`)

// ParseObject reads the name of an object in Chainsaw's log: see Object of [Event] and of
// [Failure].
func ParseObject(text string) (Object, bool) {
	m := named.FindStringSubmatch(text)
	if m == nil {
		return Object{}, false
	}
	kind := schema.GroupVersionKind{Group: m[1], Version: m[2], Kind: m[3]}
	plural, _ := meta.UnsafeGuessKindToResource(kind)
	return Object{Kind: kind.GroupKind(), Resource: plural.GroupResource(), Namespace: m[4], Name: m[5]}, true
}

// namespaceIn returns the namespace of an object as Chainsaw prints it, such as
// apps/v1/Deployment @ namespace/name.
func namespaceIn(object string) string {
	_, name, _ := strings.Cut(object, " @ ")
	namespace, _, _ := strings.Cut(name, "/")
	return namespace
}

// What the runner prints: Chainsaw's log lines "| time | test | step | operation | status |
// object", and go test's closing lines. The closing lines are the verdict, but come only
// after all tests have ended. What a command has printed is indented by more than these are,
// so that it is never taken for one of them.
var (
	closingLine  = regexp.MustCompile(`^ {0,4}--- (PASS|FAIL|SKIP): chainsaw/(\S+) \(`)
	progressLine = regexp.MustCompile(`^ {0,4}(?:\S+\.go:\d+: \x08*)?\| \d\d:\d\d:\d\d \| (\S+) \| (.*?) \| (\w+)\s* \| (\w+)\s* \|\s*(.*)$`)
)

// Operations around those of a step, as an [Event] names them.
const (
	// Try begins and ends a step.
	Try = "try"
	// Cleanup removes what a step has created, after the last step has ended.
	Cleanup = "cleanup"
)

// The steps and statuses in Chainsaw's log that are needed here.
const (
	testStep      = "@chainsaw"
	statusError   = "ERROR"
	statusSkipped = "SKIP"
	statusRun     = "RUN"
	statusEnd     = "END"
	statusLog     = "LOG"
)

// parseProgress makes an event from a log line. The last line of each test is its cleanup,
// or says that it is skipped.
func parseProgress(line string) (event Event, failed, ok bool) {
	m := progressLine.FindStringSubmatch(line)
	if m == nil {
		return Event{}, false, false
	}
	event = Event{
		Kind: Progress, Test: m[1],
		Step: strings.TrimSpace(m[2]), Operation: strings.ToLower(m[3]), Object: strings.TrimSpace(m[5]),
	}
	if event.Step == testStep && event.Operation == Cleanup && (m[4] == statusSkipped || m[4] == statusEnd) {
		event.Kind = Ended
	}
	if began(line) {
		event.Acts = acts(event.Operation, event.Object)
	}
	return event, m[4] == statusError, true
}

// began says whether a log line says that an operation begins.
func began(line string) bool {
	m := progressLine.FindStringSubmatch(line)
	return m != nil && m[4] == statusRun
}

// parseClosing reads go test's verdict on one test.
func parseClosing(line string) (test string, passed, ok bool) {
	m := closingLine.FindStringSubmatch(line)
	if m == nil {
		return "", false, false
	}
	return m[2], m[1] == "PASS", true
}
