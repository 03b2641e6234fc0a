package fault

import (
	"reconform.dev/reconform/internal/record/proxy"
	"reconform.dev/reconform/internal/record/stream"
)

// bookmark sends one BOOKMARK on a stream that asked for bookmarks. It has the last
// version that the stream has seen, so it is true. If the version or the kind of the
// objects is not known yet, the bookmark is sent after the next event.
type bookmark struct{ claim }

func (b *bookmark) turn(s *streamBody) move {
	if b.asked || s.seen.initial || s.seen.version == "" || s.seen.kind.Kind == "" ||
		!proxy.IsTrue(s.query, "allowWatchBookmarks") || !b.hit() {
		return move{}
	}
	event, err := stream.Bookmark(s.seen.kind, s.seen.version)
	if err != nil {
		return move{}
	}
	return move{send: event}
}
