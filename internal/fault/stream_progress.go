package fault

import (
	"net/url"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"reconform.dev/reconform/internal/stream"
)

// progress is how far a watch is: at its source, where events come from the API server,
// or at its sink, where the replica gets them.
type progress struct {
	// initial is true while the objects of a streaming list are still to come.
	initial bool
	// ordered is true where events come in the order of their resourceVersions. Those
	// of what exists when the watch begins do not.
	ordered bool
	// since is when the watch began, or when the last initial event was through.
	since time.Time
	// kind of the objects; empty where none was seen.
	kind metav1.TypeMeta
	// version up to which all events were seen; empty where that is not known.
	version string
}

// begin is the progress of a watch that has just been asked for.
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
	// Objects that exist at the beginning come as ADDED only.
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

// isTrue reads a parameter as the API server does: whatever is not false is true.
func isTrue(value string) bool {
	switch value {
	case "", "0", "false", "False", "FALSE":
		return false
	}
	return true
}
