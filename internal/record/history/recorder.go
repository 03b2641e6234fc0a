package history

import (
	"io"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/internal/record/sanitize"
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

// scenario holds what was recorded of one scenario, with indexes for frequent questions.
type scenario struct {
	requests []*Request // by Seq
	events   []Event    // by Seq
	watches  map[*Request]struct{}
	leases   map[types.NamespacedName]*Request // the newest accepted write of each
	locks    map[string]struct{}               // other objects with which elections are held
	sent     map[*Request]sent                 // the bodies of writes
	known    Identities                        // what the replicas have seen
	seen     map[types.UID]Sighting            // the newest state of each object that the replicas have seen
}

// New makes a Recorder that writes to w, which may be nil. After the first error nothing
// more is written, but requests are still recorded. That error is passed to failed, once,
// if failed is not nil. [Recorder.Close] returns it too.
func New(w io.Writer, failed func(error)) *Recorder {
	return &Recorder{
		scenarios: map[string]*scenario{},
		listeners: map[int]func(string){},
		journal:   journal{w: w, failed: failed, most: mostWritten},
	}
}

// Begin records a request that has just arrived. It sets Seq and Time.
func (r *Recorder) Begin(request Request) *Record {
	if request.Effect == "" {
		request.Effect = EffectNone
	}
	request.Finished = false
	request.Path = sanitize.Cut(request.Path, mostPath)

	r.mu.Lock()
	r.seq++
	request.Seq, request.Time = r.seq, time.Now()
	s := r.scenario(request.Scenario)
	_, request.Lock = s.locks[request.object()]
	s.requests = append(s.requests, &request)
	r.mu.Unlock()

	r.notify(request.Scenario)
	return &Record{recorder: r, scenario: s, request: &request}
}

// Event records that the bench did or noticed something. It sets Seq and Time.
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

// Subscribe registers a listener that is called after every change, with the scenario that
// changed, until cancel is called. The listener is called during a request: it must return
// at once and must not call the Recorder.
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
// error of writing. It does not close the writer. What is recorded later is only kept in
// memory.
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

// scenario returns the scenario with a name, and makes it if it is new. The lock is held.
func (r *Recorder) scenario(name string) *scenario {
	s := r.scenarios[name]
	if s == nil {
		s = &scenario{
			watches: map[*Request]struct{}{}, leases: map[types.NamespacedName]*Request{}, locks: map[string]struct{}{}, sent: map[*Request]sent{},
			known: Identities{UIDs: map[string]string{}, ResourceVersions: map[string]string{}}, seen: map[types.UID]Sighting{},
		}
		r.scenarios[name] = s
	}
	return s
}
