package history

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// Record is a request in progress.
type Record struct {
	recorder *Recorder
	scenario *scenario
	request  *Request
}

// Update changes the request. It does nothing if the request is finished.
func (c *Record) Update(change func(*Request)) { c.update(change, false) }

// Finish ends the request with a last change, which may be nil, and writes it. A second
// call does nothing.
func (c *Record) Finish(change func(*Request)) { c.update(change, true) }

// Request returns the request as it is known now.
func (c *Record) Request() Request {
	c.recorder.mu.RLock()
	defer c.recorder.mu.RUnlock()
	return *c.request
}

func (c *Record) update(change func(*Request), finish bool) {
	r := c.recorder
	r.mu.Lock()
	if c.request.Finished {
		r.mu.Unlock()
		return
	}
	if change != nil {
		change(c.request)
	}
	if finish {
		c.request.Duration = metav1.Duration{Duration: time.Since(c.request.Time)}
		c.request.Finished = true
	}
	c.scenario.index(c.request)
	request := *c.request
	r.mu.Unlock()

	if finish {
		r.journal.write(request)
	}
	r.notify(request.Scenario)
}

// index updates the open watches, the last writes of Leases, and the other objects with which
// elections are held.
func (s *scenario) index(request *Request) {
	if request.Watching() {
		s.watches[request] = struct{}{}
	} else {
		delete(s.watches, request)
	}
	if request.Lock {
		s.locks[request.object()] = struct{}{}
	}
	if !request.WritesLease() {
		return
	}
	key := types.NamespacedName{Namespace: request.Namespace, Name: request.Name}
	if last := s.leases[key]; last == nil || newer(request, last) {
		s.leases[key] = request
	}
}

// newer compares resourceVersions, because the order of the answers proves nothing.
func newer(a, b *Request) bool {
	order, err := resourceversion.CompareResourceVersion(a.ResourceVersion, b.ResourceVersion)
	return err != nil || order > 0
}
