package observation

import (
	"context"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// interval is the time between two readings.
const interval = time.Second

// reading takes one reading, and writes into the status everything that was read since the
// Observation began. It returns that part of the status. An error says that there is
// nothing to read.
type reading func(ctx context.Context, into *v1alpha1.ObservationStatus) (any, error)

// poll takes a reading now, and then every second until its context ends.
func poll(ctx context.Context, read reading, judge *judge, onChange func()) error {
	take := func(into *v1alpha1.ObservationStatus) (any, error) { return read(ctx, into) }
	if err := judge.read(take, time.Now); err != nil {
		return err
	}
	go func() {
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
			_ = judge.read(take, time.Now) // the status has the error
			if ctx.Err() != nil {
				return
			}
			onChange()
		}
	}()
	return nil
}
