package chainsaw

import (
	"net/http"
	"sync"
	"time"

	"k8s.io/client-go/transport"
)

// pacer slows down identical reads. Chainsaw polls every 50 ms. With thirty waiting tests
// that would be 600 reads a second: the subject would feel the load, and nobody needs it.
func pacer(interval time.Duration) transport.WrapperFunc {
	return func(next http.RoundTripper) http.RoundTripper {
		return &pacedTransport{next: next, interval: interval, last: map[string]time.Time{}}
	}
}

type pacedTransport struct {
	next     http.RoundTripper
	interval time.Duration

	mu   sync.Mutex
	last map[string]time.Time
}

// RoundTrip delays a read until interval has passed since the last identical one. The first
// read, and every write, passes at once.
func (t *pacedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method != http.MethodGet {
		return t.next.RoundTrip(req)
	}
	if wait := t.reserve(req.URL.String(), time.Now()); wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}
	return t.next.RoundTrip(req)
}

// reserve books the next free slot for the key and returns how long to wait.
func (t *pacedTransport) reserve(key string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	slot := now
	if next := t.last[key].Add(t.interval); next.After(now) {
		slot = next
	}
	t.last[key] = slot
	return slot.Sub(now)
}
