package snapshot

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/internal/bench/objects"
)

// differing is what a Snapshot found the last time that it was taken, and how long it may
// differ from another one.
type differing struct {
	within      time.Duration
	from        string // the other one
	differences []string
}

// differs notes what a Snapshot found. It returns why the wait was
// given up, or "".
func (c *Controller) differs(begun *beginning, found *differing) (gaveUp string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	begun.differs = found
	return begun.gaveUp
}

// Waiting returns the Snapshots that differ from another one, and may become the same, in no
// order.
func (c *Controller) Waiting() []objects.Waiting {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []objects.Waiting
	for key, begun := range c.begun {
		if d := begun.differs; d != nil && begun.gaveUp == "" {
			all = append(all, objects.Waiting{
				NamespacedName: key, Kind: "Snapshot", Left: d.within - time.Since(begun.at),
				Message: unmet(d.from, d.within, "", d.differences), Details: d.differences,
			})
		}
	}
	return all
}

// GiveUp makes a Snapshot wait no longer: when it is taken the next time, and still differs,
// that is its verdict. Its message says why it did not wait until the end.
func (c *Controller) GiveUp(_ context.Context, key types.NamespacedName, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if begun := c.begun[key]; begun != nil {
		begun.gaveUp = why
	}
}
