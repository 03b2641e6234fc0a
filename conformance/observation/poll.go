package observation

import (
	"context"
	"sync"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// interval is the pause between two readings.
const interval = time.Second

// reading takes one reading, and writes into the status all that was read since
// the Observation began. An error says that there is nothing to be read.
type reading func(ctx context.Context, into *v1alpha1.ObservationStatus) error

// poller takes a reading now, and every second until its context ends.
type poller struct {
	mu     sync.Mutex
	status v1alpha1.ObservationStatus
}

func poll(ctx context.Context, read reading, onChange func()) *poller {
	p := &poller{status: v1alpha1.ObservationStatus{Violations: []v1alpha1.ObservedViolation{}}}
	go func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			p.take(ctx, read)
			if ctx.Err() != nil {
				return
			}
			onChange()
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return p
}

func (p *poller) take(ctx context.Context, read reading) {
	next := p.snapshot()
	next.Phase, next.Message = v1alpha1.ObservationWatching, ""
	if err := read(ctx, &next); err != nil {
		next.Phase, next.Message = v1alpha1.ObservationInvalid, err.Error()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status = next
}

func (p *poller) snapshot() v1alpha1.ObservationStatus {
	p.mu.Lock()
	defer p.mu.Unlock()
	return *p.status.DeepCopy()
}
