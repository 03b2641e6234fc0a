package fault

import (
	"errors"

	"k8s.io/apimachinery/pkg/watch"

	"reconform.dev/reconform/internal/record/stream"
)

// errHalfEvent is why a stream ends that a halfEvent has cut.
var errHalfEvent = errors.New("a Fault of the scenario cuts the watch in the middle of an event")

// halfEvent cuts the stream in the middle of the next event. The client has then got a part
// of a line that is not JSON, and must read this event again from its last version.
type halfEvent struct{ claim }

func (h *halfEvent) breaks(s *streamBody, event stream.Event) bool {
	return !s.sent.initial && event.Type != watch.Bookmark && h.hit()
}
