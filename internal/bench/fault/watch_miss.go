package fault

import (
	"sync"

	"k8s.io/apimachinery/pkg/watch"

	"reconform.dev/reconform/internal/record/stream"
)

// miss hides a deletion in a gap of the stream: instead of the deletion it sends that the
// stream has expired, and then nothing more. When the client lists again, it finds that the
// object is gone. The same can happen to a client without a Fault.
type miss struct {
	claim
	gap    *gap
	missed bool
}

func (m *miss) arrived(_ *streamBody, event stream.Event) bool {
	if event.Type != watch.Deleted || !m.gap.has(event.Object.Metadata.UID) || !m.hit() {
		return true
	}
	m.missed = true
	m.hid(1)
	return false
}

func (m *miss) turn(*streamBody) move {
	if !m.missed {
		return move{}
	}
	last, err := stream.Expired(expiredMessage)
	return move{end: err == nil, last: last}
}

// gap is what all streams of a Fault miss: one deletion.
type gap struct {
	mu  sync.Mutex
	uid string
}

// has says whether the deletion of this object falls into the gap: the first deletion on any
// of the streams does.
func (g *gap) has(uid string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.uid == "" {
		g.uid = uid
	}
	return uid != "" && g.uid == uid
}
