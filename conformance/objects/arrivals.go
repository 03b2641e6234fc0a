package objects

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// arrival is how long an object may take from its admission until it is seen. One that
// is not seen by then was never stored.
const arrival = 10 * time.Second

// arrivals are the objects that were admitted and not seen yet. They are in force, and
// that the cache does not have them does not mean that they are gone.
type arrivals struct {
	mu       sync.Mutex
	expected map[types.NamespacedName]time.Time // until when
}

func (a *arrivals) expect(key types.NamespacedName, now time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.expected[key] = now.Add(arrival)
}

func (a *arrivals) arrived(key types.NamespacedName) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.expected, key)
}

func (a *arrivals) expects(key types.NamespacedName, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	until, ok := a.expected[key]
	if ok && now.After(until) {
		delete(a.expected, key)
		return false
	}
	return ok
}
