package explore

import (
	"context"
	"testing"
)

// TestPlaces: a Trial that only waits gives its place to another one, unless it is the only one
// that may run, or too many wait already.
func TestPlaces(t *testing.T) {
	p := newPlaces(2)
	full, cancel := context.WithCancel(t.Context())
	cancel()
	// isFree says whether there is a place at once.
	isFree := func() bool {
		select {
		case p.busy <- struct{}{}:
			<-p.busy
			return true
		default:
			return false
		}
	}
	var waiting []*visit
	for range 2 * waitingToo {
		at := p.take(t.Context())
		if !at.wait() {
			t.Fatalf("after %d: it may not wait without a place", len(waiting))
		}
		waiting = append(waiting, at)
	}
	one, other := p.take(t.Context()), p.take(t.Context())
	if one.wait() {
		t.Error("more may wait than there are places for")
	}
	if at := p.take(full); at != nil {
		t.Error("there is a place although all are taken")
	}
	waiting[0].end()
	if !one.wait() || !isFree() {
		t.Error("it still has a place, although another one has ended its wait")
	}
	other.end()
	one.end()
	for _, at := range waiting[1:] {
		at.end()
	}
	if len(p.busy) != 0 || len(p.waiting) != 0 {
		t.Errorf("at the end %d have a place, and %d wait", len(p.busy), len(p.waiting))
	}

	alone := newPlaces(1).take(t.Context())
	if alone.wait() {
		t.Error("with one at a time, another one runs beside it")
	}
}
