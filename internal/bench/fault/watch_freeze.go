package fault

import (
	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/stream"
)

// freeze delivers nothing more, not even bookmarks, and keeps the stream open. It still
// reads from the API server, because the API server closes a watch that nobody reads. A
// streaming list that is frozen from its start does not even deliver the existing objects,
// so its reader never syncs.
//
// Swallowed events are not sent later. When the freeze ends, a stream that lacks events is
// closed cleanly: the client watches again from the last version that it knows, and the
// API server sends it what it missed. If the freeze ends as Expired, every frozen stream
// expires instead, unless it is still sending the first objects of a streaming list.
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
