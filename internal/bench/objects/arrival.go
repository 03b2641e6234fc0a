package objects

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

// arriving is how long an object may take until it is stored, counted from the first
// attempt to admit it. If it does not exist after that, another webhook or a policy refused
// it, or another object with its name came first.
const arriving = admitting + 10*time.Second

// arrivals are the objects of a kind that were admitted, but are not in the cache yet.
// Until they are, objects with these names in the cache are older ones.
type arrivals struct {
	mu       sync.Mutex
	expected map[types.NamespacedName]arrival
	turns    uint64 // how often an object was added or settled
	queue    workqueue.TypedRateLimitingInterface[ctrl.Request]
}

// arrival is one object that was admitted.
type arrival struct {
	uid      types.UID
	admitted time.Time
}

// start takes the controller's queue, with which the controller looks at objects that do
// not arrive. It is one of the controller's sources.
func (a *arrivals) start(_ context.Context, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.queue = queue
	return nil
}

// expect notes an object, and lets the controller look at it when its time is over.
func (a *arrivals) expect(key types.NamespacedName, uid types.UID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.expected == nil {
		a.expected = map[types.NamespacedName]arrival{}
	}
	a.expected[key] = arrival{uid, time.Now()}
	a.turns++
	if a.queue != nil {
		a.queue.AddAfter(ctrl.Request{NamespacedName: key}, arriving)
	}
}

// of returns the object of a name that is expected. The second result is false if there is
// none.
func (a *arrivals) of(key types.NamespacedName) (arrival, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	one, ok := a.expected[key]
	return one, ok
}

// settle ends the wait for an object, because it exists or was refused.
func (a *arrivals) settle(key types.NamespacedName, uid types.UID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if one, ok := a.expected[key]; ok && one.uid == uid {
		delete(a.expected, key)
		a.turns++
	}
}

// turn returns a number that changes whenever an object was expected or has arrived. Then
// what was read from the cache before may be too old.
func (a *arrivals) turn() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.turns
}

// seen notes which objects arrive in the cache. It lets all events pass.
func (a *arrivals) seen() predicate.Predicate {
	return predicate.NewPredicateFuncs(func(object client.Object) bool {
		a.settle(client.ObjectKeyFromObject(object), object.GetUID())
		return true
	})
}

// remove ends what is in force for a name, and returns true. It does nothing and returns
// false if another object may have been admitted under this name since the turn.
func (a *arrivals) remove(key types.NamespacedName, uid types.UID, since uint64, end func(types.NamespacedName)) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if one, ok := a.expected[key]; a.turns != since || ok && one.uid != uid {
		return false
	}
	delete(a.expected, key)
	end(key)
	return true
}
