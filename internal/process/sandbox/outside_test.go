//go:build unix

package sandbox

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestServeIsBounded: if the init process sends no sockets, nobody waits for ever.
func TestServeIsBounded(t *testing.T) {
	p := newProcess("subject-0", nil)
	end, err := p.openSockets()
	if err != nil {
		t.Fatal(err)
	}
	defer end.Close()
	defer p.sockets.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := p.serve(ctx, &Spec{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("serve = %v, want %v", err, context.DeadlineExceeded)
	}
}
