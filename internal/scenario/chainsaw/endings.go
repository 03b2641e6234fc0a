package chainsaw

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	// endWord begins the line by which the parent ends an assert. The rest is an [Ending].
	endWord = "end "
	// endedLine begins a line that names the test whose assert was ended, and what it waited
	// for. The runner prints it before Chainsaw's own lines about that.
	endedLine = "reconform ended: "
)

// errEnded is the answer to a read of an assert that was ended. It is shown only if the
// assert has seen no difference before.
var errEnded = errors.New("the wait was given up")

// Ending makes an assert fail that waits for objects of the subject's. The objects of the
// bench have a way of their own to end a wait.
type Ending struct {
	// Test is the name of the test.
	Test string `json:"test"`
	// Namespace and Resource of the objects. The resource has its group: deployments.apps.
	Namespace string `json:"namespace"`
	Resource  string `json:"resource"`
	// Waited is how long the assert has been waiting, at least. One that began later is not
	// meant, and goes on.
	Waited time.Duration `json:"waited"`
}

// Endings ends asserts of tests that run. The zero value is ready to use, for any number of
// jobs at the same time.
type Endings struct {
	mu      sync.Mutex
	runners map[io.Writer]bool // the standard input of each
}

// End ends an assert, and an event tells of it: [Event.GivenUp]. If it has ended by itself, or
// waits for something else, nothing happens.
func (e *Endings) End(ending Ending) {
	data, err := json.Marshal(ending)
	if err != nil {
		return // a text and a number can always be encoded
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for runner := range e.runners {
		// A runner that has ended has no asserts.
		_, _ = fmt.Fprintf(runner, "%s%s\n", endWord, data)
	}
}

// tell sends endings to a runner until the returned function is called.
func (e *Endings) tell(runner io.Writer) (forget func()) {
	if e == nil {
		return func() {}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.runners == nil {
		e.runners = map[io.Writer]bool{}
	}
	e.runners[runner] = true
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.runners, runner)
	}
}

// asserts knows, in the runner's process, the assert that each namespace waits for.
type asserts struct {
	parent io.Writer // takes the names of tests whose asserts were ended

	mu      sync.Mutex
	waiting map[string]*waitingAssert // by namespace
}

// waitingAssert is one assert. All its reads have the same deadline, and no two asserts of a
// namespace have. Lists in its expressions have none: they are of one assert as long as one
// follows the other soon.
type waitingAssert struct {
	deadline    time.Time // or zero
	since, last time.Time // its first and its last read
	resource    string    // that it read last
	ended       string    // the name of its test, if it was ended
	told        bool
}

// line takes a line from the parent.
func (a *asserts) line(line string, now time.Time) {
	text, is := strings.CutPrefix(line, endWord)
	var ending Ending
	if !is || json.Unmarshal([]byte(text), &ending) != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if w := a.waiting[ending.Namespace]; w != nil && w.resource == ending.Resource && now.Sub(w.since) >= ending.Waited {
		w.ended = ending.Test
	}
}

// reads notes what an assert reads now; the deadline may be zero. It returns true if the assert was ended.
func (a *asserts) reads(namespace, resource string, deadline, now time.Time) (ended bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.waiting[namespace]
	if w == nil || !w.deadline.Equal(deadline) || deadline.IsZero() && now.Sub(w.last) > asserting {
		w = &waitingAssert{deadline: deadline, since: now}
		if a.waiting == nil {
			a.waiting = map[string]*waitingAssert{}
		}
		a.waiting[namespace] = w
	}
	w.resource, w.last = resource, now
	if w.ended != "" && !w.told {
		w.told = true
		fmt.Fprintf(a.parent, "%s%s %s\n", endedLine, w.ended, resource)
	}
	return w.ended != ""
}

// wrap makes the reads of an assert that was ended fail. Asserts alone are to be wrapped.
func (a *asserts) wrap(next http.RoundTripper) http.RoundTripper { return endingTransport{next, a} }

type endingTransport struct {
	next http.RoundTripper
	*asserts
}

func (t endingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	deadline, _ := req.Context().Deadline()
	namespace, resource := namespaceOf(req.URL.Path), resourceOf(req.URL.Path)
	if req.Method == http.MethodGet && namespace != "" && !isOfBench(req.URL) && t.reads(namespace, resource, deadline, time.Now()) {
		return nil, errEnded
	}
	return t.next.RoundTrip(req)
}

// resourceOf returns the resource of the objects in a namespace that a path reads, with its
// group: deployments.apps. It returns "" if they have no namespace.
func resourceOf(path string) string {
	api, rest, ok := strings.Cut(within(path), "/namespaces/")
	parts := strings.Split(rest, "/")
	if !ok || len(parts) < 2 {
		return ""
	}
	groupVersion := strings.Split(strings.TrimPrefix(api, "/apis/"), "/")
	if len(groupVersion) != 2 {
		return parts[1]
	}
	return parts[1] + "." + groupVersion[0]
}
