package chainsaw

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// unchanged is how long an assert may wait for a change of an object of the bench until it
// reads the object all the same, as if a change had been missed.
const unchanged = 2 * time.Second

// changes lets an assert wait until an object of the bench changes, instead of reading it
// again and again. One watch of each kind tells of the changes, for all tests.
type changes struct {
	follow func(plural string) // begins the watch of a kind, and returns at once

	mu       sync.Mutex
	followed map[string]bool
	objects  map[string]*watched      // by path
	reads    map[pollOf]chan struct{} // closed when the object has changed since the last read
}

// watched is what is known of an object.
type watched struct {
	version string
	changed chan struct{} // closed at the next change
}

// pollOf names the reads of one assert. The polls of an assert have the same deadline, and
// no two asserts have.
type pollOf struct {
	path     string
	deadline time.Time
}

// newChanges watches with the given configuration until the context ends.
func newChanges(ctx context.Context, config *rest.Config) (*changes, error) {
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("making a client for watches: %w", err)
	}
	c := &changes{followed: map[string]bool{}, objects: map[string]*watched{}, reads: map[pollOf]chan struct{}{}}
	c.follow = func(plural string) {
		informer := metadatainformer.NewFilteredMetadataInformer(
			client, v1alpha1.GroupVersion.WithResource(plural), metav1.NamespaceAll, 0, cache.Indexers{}, nil).Informer()
		tell := func(object any) { c.tell(plural, object) }
		// Without this handler the asserts only read less often.
		_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: tell, UpdateFunc: func(_, now any) { tell(now) }, DeleteFunc: func(last any) { c.forget(plural, last) },
		})
		go informer.RunWithContext(ctx)
	}
	return c, nil
}

// tell is called for each new version of an object.
func (c *changes) tell(plural string, now any) {
	o, ok := now.(metav1.Object)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.object(pathOf(plural, o))
	if at.version == o.GetResourceVersion() {
		return
	}
	at.version = o.GetResourceVersion()
	close(at.changed)
	at.changed = make(chan struct{})
}

// forget is called when an object is gone.
func (c *changes) forget(plural string, last any) {
	if missed, ok := last.(cache.DeletedFinalStateUnknown); ok {
		last = missed.Obj
	}
	o, ok := last.(metav1.Object)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	path := pathOf(plural, o)
	close(c.object(path).changed)
	delete(c.objects, path)
}

// object returns what is known of the object at a path. The lock is held.
func (c *changes) object(path string) *watched {
	if c.objects[path] == nil {
		c.objects[path] = &watched{changed: make(chan struct{})}
	}
	return c.objects[path]
}

// wrap holds a read back if the assert has read the object before, and it has not changed
// since. It is only for the reads of asserts.
func (c *changes) wrap(next http.RoundTripper) http.RoundTripper {
	return waitingTransport{next: next, changes: c}
}

type waitingTransport struct {
	next http.RoundTripper
	*changes
}

func (t waitingTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	deadline, ok := req.Context().Deadline()
	plural := ""
	if req.Method == http.MethodGet && ok {
		plural = pluralOf(req.URL)
	}
	if plural == "" {
		return t.next.RoundTrip(req)
	}
	poll := pollOf{within(req.URL.Path), deadline}
	if changed := t.before(poll); changed != nil {
		timer := time.NewTimer(unchanged)
		defer timer.Stop()
		select {
		case <-changed:
		case <-timer.C:
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}
	t.reading(plural, poll)
	return t.next.RoundTrip(req)
}

// before returns a channel that is closed when the object has changed since the last read of
// this assert. It returns nil if this is the first one.
func (c *changes) before(poll pollOf) chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reads[poll]
}

// reading notes that an object is about to be read. A change during the read counts as one
// after it.
func (c *changes) reading(plural string, poll pollOf) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.followed[plural] {
		c.followed[plural] = true
		c.follow(plural)
	}
	now := time.Now()
	for old := range c.reads {
		if old.deadline.Before(now) {
			delete(c.reads, old)
		}
	}
	c.reads[poll] = c.object(poll.path).changed
}

// pluralOf returns the resource of an object of the bench that a URL names, or "".
func pluralOf(url *url.URL) string {
	if !isOfBench(url) {
		return ""
	}
	_, rest, _ := strings.Cut(within(url.Path), "/namespaces/")
	parts := strings.Split(rest, "/")
	if len(parts) != 3 { // the namespace, the resource and the name
		return ""
	}
	return parts[1]
}

func pathOf(plural string, o metav1.Object) string {
	return "/apis/" + v1alpha1.GroupVersion.String() + "/namespaces/" + o.GetNamespace() + "/" + plural + "/" + o.GetName()
}
