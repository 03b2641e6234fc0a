package fault

import (
	"net/url"

	"k8s.io/apimachinery/pkg/util/resourceversion"

	"reconform.dev/reconform/internal/stream"
)

// held keeps a watch in the past: it swallows the events after a version.
type held struct {
	freeze
	// until is the newest version that passes. Empty: the version of the objects with
	// which the watch begins.
	until string
}

// hold a watch from its beginning, which is where it was made to begin, if it was; nil
// where it cannot be held.
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
		// Nothing says where the objects end with which it begins.
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

// turn hits the stream at once: it will stand still, whatever comes.
func (w *held) turn(*streamBody) move {
	w.hit()
	return move{}
}
