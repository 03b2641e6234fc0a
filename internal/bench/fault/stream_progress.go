package fault

import (
	"net/url"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"reconform.dev/reconform/internal/record/stream"
)

// progress is how far a watch is: at its source, where events come from the API server, or
// at its end, where the replica gets them.
type progress struct {
	// initial is true while a streaming list has not yet sent all existing objects.
	initial bool
	// ordered is true if events come in the order of their resourceVersions. The existing
	// objects at the start of a watch do not.
	ordered bool
	// since is when the watch started, or when the last initial event was sent.
	since time.Time
	// kind of the objects. It is empty if no object was seen.
	kind metav1.TypeMeta
	// version up to which all events were seen. It is empty if that is not known.
	version string
}

// begin returns the progress of a new watch.
func begin(query url.Values) progress {
	p := progress{since: time.Now(), initial: startsWithList(query)}
	if !p.initial && namesVersion(query) {
		p.ordered, p.version = true, query.Get("resourceVersion")
	}
	return p
}

func (p *progress) note(event stream.Event) {
	if event.Type == watch.Error {
		return
	}
	p.kind = event.Object.TypeMeta
	if event.Object.IsTable() {
		p.kind = metav1.TypeMeta{}
	}
	// Objects that exist at the start come only as ADDED.
	if event.Type != watch.Added {
		p.ordered = true
		if p.initial {
			p.initial, p.since = false, time.Now()
		}
	}
	if version := event.Object.Metadata.ResourceVersion; p.ordered && version != "" {
		p.version = version
	}
}
