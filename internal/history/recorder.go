package history

import (
	"io"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// Recorder keeps requests and events. It is safe for use by many goroutines.
type Recorder struct {
	mu        sync.RWMutex
	seq       int64
	scenarios map[string]*scenario
	listeners map[int]func(scenario string)
	nextID    int

	journal journal
}

// scenario has what was recorded of one scenario, with indexes for frequent questions.
type scenario struct {
	requests []*Request // by Seq
	events   []Event    // by Seq
	watches  map[*Request]struct{}
	leases   map[types.NamespacedName]*Request // the newest accepted write of each
}

// New makes a Recorder that writes to w, which may be nil. After the first error
// nothing more is written, but requests are still recorded. The error is passed to
// failed, once, unless that is nil, and [Recorder.Close] returns it.
func New(w io.Writer, failed func(error)) *Recorder {
	return &Recorder{
		scenarios: map[string]*scenario{},
		listeners: map[int]func(string){},
		journal:   journal{w: w, failed: failed},
	}
}

// Record is a request in progress.
type Record struct {
	recorder *Recorder
	scenario *scenario
	request  *Request
}

// Begin records a request that has just arrived. Seq and Time are set here.
func (r *Recorder) Begin(request Request) *Record {
	if request.Effect == "" {
		request.Effect = EffectNone
	}
	request.Finished = false

	r.mu.Lock()
	r.seq++
	request.Seq, request.Time = r.seq, time.Now()
	s := r.scenario(request.Scenario)
	s.requests = append(s.requests, &request)
	r.mu.Unlock()

	r.notify(request.Scenario)
	return &Record{recorder: r, scenario: s, request: &request}
}

// Update changes the request. It does nothing once the request is finished.
func (c *Record) Update(change func(*Request)) { c.update(change, false) }

// Finish ends the request with a last change, which may be nil, and writes it. It does
// nothing the second time.
func (c *Record) Finish(change func(*Request)) { c.update(change, true) }

// Request as it is known now.
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

// index keeps the open watches and the last writes of Leases up to date.
func (s *scenario) index(request *Request) {
	if request.Watching() {
		s.watches[request] = struct{}{}
	} else {
		delete(s.watches, request)
	}
	if !request.WritesLease() {
		return
	}
	key := types.NamespacedName{Namespace: request.Namespace, Name: request.Name}
	if last := s.leases[key]; last == nil || newer(request, last) {
		s.leases[key] = request
	}
}

// newer compares resourceVersions, as the order in which the answers came proves
// nothing.
func newer(a, b *Request) bool {
	order, err := resourceversion.CompareResourceVersion(a.ResourceVersion, b.ResourceVersion)
	return err != nil || order > 0
}

// Event records that the bench did or noticed something. Seq and Time are set here.
func (r *Recorder) Event(event Event) {
	r.mu.Lock()
	r.seq++
	event.Seq, event.Time = r.seq, time.Now()
	s := r.scenario(event.Scenario)
	s.events = append(s.events, event)
	r.mu.Unlock()

	r.journal.write(event)
	r.notify(event.Scenario)
}

// Subscribe has listener called after every change, with the scenario that changed,
// until cancel is called. It is called in the middle of a request: it must return at
// once and must not call the Recorder.
func (r *Recorder) Subscribe(listener func(scenario string)) (cancel func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := r.nextID
	r.nextID++
	r.listeners[id] = listener
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.listeners, id)
	}
}

func (r *Recorder) notify(scenario string) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, listener := range r.listeners {
		listener(scenario)
	}
}

// Close writes the requests that are still open, as unfinished, and returns the first
// error of writing. It does not close the writer. What is recorded later is kept in
// memory only.
func (r *Recorder) Close() error {
	r.mu.RLock()
	var open []Request
	for _, s := range r.scenarios {
		for _, request := range s.requests {
			if !request.Finished {
				open = append(open, *request)
			}
		}
	}
	r.mu.RUnlock()

	slices.SortFunc(open, func(a, b Request) int { return int(a.Seq - b.Seq) })
	for _, request := range open {
		r.journal.write(request)
	}
	return r.journal.close()
}

// scenario of a name, which is made if it is new. The lock is held.
func (r *Recorder) scenario(name string) *scenario {
	s := r.scenarios[name]
	if s == nil {
		s = &scenario{watches: map[*Request]struct{}{}, leases: map[types.NamespacedName]*Request{}}
		r.scenarios[name] = s
	}
	return s
}
