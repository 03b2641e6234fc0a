package fault

import "reconform.dev/reconform/internal/stream"

// drop swallows a number of changes of objects on each stream, and lets the rest pass.
// It never swallows a bookmark, or the objects that a watch begins with. Where a watch
// names no version these cannot be told from changes: one that begins later than the
// Fault is spared.
type drop struct {
	claim
	left int32
}

func (d *drop) arrived(s *streamBody, event stream.Event) bool {
	if s.seen.initial || !event.IsChange() || d.left == 0 || !d.hit() {
		return true
	}
	d.left--
	d.hid(1)
	return false
}
