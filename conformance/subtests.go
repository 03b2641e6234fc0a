package conformance

import (
	"strings"
	"sync"
	"testing"
)

// subtests are the subtests that go test selects. Each has begun, and waits for the result
// of its requirement.
type subtests struct {
	ids     []string
	told    map[string]chan func(*testing.T)
	all     int
	running sync.WaitGroup
}

// begin begins a subtest for each requirement. Only package testing knows whether -run and
// -skip of go test leave one out: it does not call the function of that subtest.
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

// end tells each subtest how to end, and returns when all have ended.
func (s *subtests) end(how func(id string) func(*testing.T)) {
	for _, id := range s.ids {
		s.told[id] <- how(id)
	}
	s.running.Wait()
}

// pattern returns the --run flag for what was selected.
func (s *subtests) pattern() string { return "^(" + strings.Join(s.ids, "|") + ")$" }

// complete tells whether nothing was left out.
func (s *subtests) complete() bool { return len(s.ids) == s.all }
