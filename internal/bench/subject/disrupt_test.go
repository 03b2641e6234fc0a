package subject

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestStart: a process that starts by itself in the same moment is the one that was asked for.
// The replica takes no order until that process ends.
func TestStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &replica{starts: make(chan chan<- error), done: make(chan struct{})}
		go func() {
			time.Sleep(time.Second)
			r.mu.Lock()
			defer r.mu.Unlock()
			r.current = &life{}
		}()
		if err := r.start(t.Context()); err != nil {
			t.Error(err)
		}
		go func() { close(<-r.starts) }()
		r.current = nil
		if err := r.start(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
