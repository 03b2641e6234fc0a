package chainsaw

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

const (
	// enough is the line by which the parent says that no more tests are to begin.
	enough = "enough"
	// heldLine begins a line that names a test that was kept from beginning. The runner prints
	// it before Chainsaw's own lines about that.
	heldLine = "reconform held: "
)

// errHeld is the answer to a test that is kept from beginning.
var errHeld = errors.New("no more tests are to begin")

// gate keeps tests from beginning when the parent has had enough. What a test does first is
// to look for its namespace; that read fails then, and the test ends before its first step.
// Chainsaw's own way, to skip all tests after one that failed, does not ask why it failed.
type gate struct {
	parent io.Writer // takes the names of held tests

	mu     sync.Mutex
	tests  map[string]string // names, by namespace
	closed bool
	begun  map[string]bool // by namespace
	held   map[string]bool // by name
}

func newGate(parent io.Writer) *gate {
	return &gate{parent: parent, tests: map[string]string{}, begun: map[string]bool{}, held: map[string]bool{}}
}

// add makes a test known, with its namespace.
func (g *gate) add(name, namespace string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tests[namespace] = name
}

// line takes a line from the parent.
func (g *gate) line(line string) {
	if line != enough {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
}

// holds tells whether a test was kept from beginning.
func (g *gate) holds(name string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.held[name]
}

// admit tells whether the test of a namespace may begin, or has begun.
func (g *gate) admit(namespace string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	name, ok := g.tests[namespace]
	if !ok || g.begun[namespace] {
		return true
	}
	if !g.closed {
		g.begun[namespace] = true
		return true
	}
	if !g.held[name] {
		g.held[name] = true
		fmt.Fprintf(g.parent, "%s%s\n", heldLine, name)
	}
	return false
}

// wrap makes the first read of a test that is not to begin fail.
func (g *gate) wrap(next http.RoundTripper) http.RoundTripper { return gateTransport{next, g} }

type gateTransport struct {
	next http.RoundTripper
	*gate
}

func (t gateTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if _, namespace, ok := strings.Cut(req.URL.Path, "/api/v1/namespaces/"); ok && req.Method == http.MethodGet && !t.admit(namespace) {
		return nil, errHeld
	}
	return t.next.RoundTrip(req)
}
