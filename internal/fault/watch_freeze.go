package fault

import "reconform.dev/reconform/internal/stream"

// freeze delivers nothing any more, bookmarks included, and keeps the stream
// open. The API server's side is read on: a watcher that does not read is
// closed. A streaming list that begins frozen so delivers not even the objects
// that exist, and its reader never syncs.
//
// What was swallowed is gone. When the freeze ends, a stream that lacks anything
// is closed in good order: the client watches again from the last version that
// it knows, and the API server sends it what it missed.
type freeze struct {
	claim
	lacking bool
}

func (f *freeze) arrived(*streamBody, stream.Event) bool {
	if !f.hit() {
		return true
	}
	f.lacking = true
	return false
}

func (f *freeze) turn(s *streamBody) move {
	if f.hit() && len(s.queue) > 0 {
		s.queue, s.queued, f.lacking = nil, 0, true
	}
	return move{}
}

func (f *freeze) lifted() bool { return f.lacking }
