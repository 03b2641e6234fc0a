package fault

import "reconform.dev/reconform/internal/stream"

// drop swallows changes of objects, a number of them on each stream, and lets
// the rest pass: never a bookmark, and never the objects that a streaming list
// begins with.
type drop struct {
	claim
	left int32
}

func (d *drop) arrived(s *streamBody, event stream.Event) bool {
	if s.seen.initial || !event.IsChange() || d.left == 0 || !d.hit() {
		return true
	}
	d.left--
	return false
}
