package fault

import (
	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/stream"
)

// freeze delivers nothing any more, not even bookmarks, and keeps the stream open. It
// goes on reading from the API server, which closes a watch that nobody reads. A
// streaming list that is frozen from its beginning does not even deliver the objects
// that exist, so its reader never syncs.
//
// Events that were swallowed are not sent later. When the freeze ends, a stream that
// lacks any is closed cleanly: the client watches again from the last version that it
// knows, and the API server sends it what it missed. Where its end is Expired, every
// stream that it froze expires instead, unless it has not got to a version yet.
type freeze struct {
	claim
	ends    v1alpha1.FreezeEnd
	lacking bool
}

func (f *freeze) arrived(*streamBody, stream.Event) bool {
	if !f.hit() {
		return true
	}
	f.lacking = true
	f.hid(1)
	return false
}

func (f *freeze) turn(s *streamBody) move {
	if f.hit() && len(s.queue) > 0 {
		f.hid(len(s.queue))
		s.queue, s.queued, f.lacking = nil, 0, true
	}
	return move{}
}

func (f *freeze) lifted(s *streamBody) move {
	if f.ends != v1alpha1.FreezeEndsExpired || !f.taken || s.sent.initial {
		return move{end: f.lacking}
	}
	last, err := stream.Expired(expiredMessage)
	return move{end: err == nil, last: last}
}
