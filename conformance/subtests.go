package conformance

import (
	"strings"
	"sync"
	"testing"
)

// subtests are those that go test selects. Each has begun, and waits to be told how its
// requirement fared.
type subtests struct {
	ids     []string
	told    map[string]chan func(*testing.T)
	all     int
	running sync.WaitGroup
}

// begin begins a subtest of each requirement. Whether -run and -skip of go test leave one
// out is for package testing to know: then the function of that subtest is not called.
func begin(t *testing.T, requirements []requirement) *subtests {
	s := &subtests{told: map[string]chan func(*testing.T){}, all: len(requirements)}
	for _, r := range requirements {
		begun := make(chan struct{})
		left := make(chan struct{})
		told := make(chan func(*testing.T), 1)
		s.running.Go(func() {
			defer close(left)
			t.Run(r.ID, func(t *testing.T) {
				close(begun)
				(<-told)(t)
			})
		})
		select {
		case <-begun:
			s.ids = append(s.ids, r.ID)
			s.told[r.ID] = told
		case <-left:
		}
	}
	return s
}

// end tells each subtest how to end, and returns when all have.
func (s *subtests) end(how func(id string) func(*testing.T)) {
	for _, id := range s.ids {
		s.told[id] <- how(id)
	}
	s.running.Wait()
}

// pattern is the --run of what was selected.
func (s *subtests) pattern() string { return "^(" + strings.Join(s.ids, "|") + ")$" }

// complete tells whether nothing was left out.
func (s *subtests) complete() bool { return len(s.ids) == s.all }
