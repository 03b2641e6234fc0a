package fault

import (
	"net/url"

	"k8s.io/apimachinery/pkg/util/resourceversion"

	"reconform.dev/reconform/internal/record/stream"
)

// held keeps a watch in the past: it swallows the events after a version.
type held struct {
	freeze
	// until is the newest version that passes. If it is empty, only the first objects of
	// the watch pass.
	until string
}

// hold holds a watch at its start. If a stale Fault made it start with the objects of an
// earlier version, begins is this start. hold returns nil if the watch cannot be held.
func (s *stale) hold(c claim, query url.Values, begins *pastBody) effect {
	if begins != nil && begins.of == s {
		c.asked, c.taken = true, true
		return &held{freeze: freeze{claim: c}, until: begins.version}
	}
	version := query.Get("resourceVersion")
	switch {
	case !startsWithList(query) && s.covers(version):
		return &held{freeze: freeze{claim: c}, until: s.version}
	case startsWithList(query):
		return &held{freeze: freeze{claim: c}}
	case version == "" || version == "0":
		// Nothing marks the end of the objects with which it starts.
		return nil
	default:
		return &held{freeze: freeze{claim: c}, until: version}
	}
}

func (w *held) arrived(s *streamBody, event stream.Event) bool {
	if s.seen.initial || event.Object.Metadata.ResourceVersion == "" {
		return true
	}
	if w.until != "" {
		order, err := resourceversion.CompareResourceVersion(event.Object.Metadata.ResourceVersion, w.until)
		if err == nil && order <= 0 {
			return true
		}
	}
	return w.freeze.arrived(s, event)
}

// turn hits the stream at once, because it will stand still whatever events come.
func (w *held) turn(*streamBody) move {
	w.hit()
	return move{}
}
