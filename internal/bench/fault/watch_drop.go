package fault

import "reconform.dev/reconform/internal/record/stream"

// drop swallows a number of changes of objects on each stream, and lets the rest pass. It
// never swallows a bookmark, or the objects with which a watch starts. If a watch names no
// version, these cannot be told from changes. So such a watch is spared if it starts later
// than the Fault.
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
