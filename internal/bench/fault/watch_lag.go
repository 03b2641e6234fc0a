package fault

import (
	"time"

	"reconform.dev/reconform/internal/record/stream"
)

// lag delivers every event late, in order. When the Fault is deleted, the waiting events
// are delivered at once.
type lag struct {
	claim
	by time.Duration
}

func (l *lag) arrived(*streamBody, stream.Event) bool {
	l.hit()
	return true
}

func (l *lag) late() time.Duration {
	if l.taken {
		return l.by
	}
	return 0
}
