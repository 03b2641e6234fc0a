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

// arriving is how long an object may take until it is stored, from the beginning of the
// attempt to admit it. One that is not there then was refused by somebody else, or
// another of its name came first.
const arriving = admitting + 10*time.Second

// arrivals are the objects of a kind that were admitted, and that the cache does not
// have yet. Until it has, what it has of these names are older objects.
type arrivals struct {
	mu       sync.Mutex
	expected map[types.NamespacedName]arrival
	turns    uint64 // how often one was added or settled
	queue    workqueue.TypedRateLimitingInterface[ctrl.Request]
}

// arrival is one object that was admitted.
type arrival struct {
	uid      types.UID
	admitted time.Time
}

// start takes the controller's queue, through which objects that do not arrive are
// looked at. It is one of the controller's sources.
func (a *arrivals) start(_ context.Context, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.queue = queue
	return nil
}

// expect an object, and have it looked at when its time is over.
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

// of says which object of a name is expected; false where none is.
func (a *arrivals) of(key types.NamespacedName) (arrival, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	one, ok := a.expected[key]
	return one, ok
}

// settle ends the wait for an object: it is there, or was refused.
func (a *arrivals) settle(key types.NamespacedName, uid types.UID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if one, ok := a.expected[key]; ok && one.uid == uid {
		delete(a.expected, key)
		a.turns++
	}
}

// turn is another number whenever something was expected or has arrived meanwhile: what
// was read of the cache before that may be older.
func (a *arrivals) turn() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.turns
}

// seen notes what arrives in the cache. It lets all events pass.
func (a *arrivals) seen() predicate.Predicate {
	return predicate.NewPredicateFuncs(func(object client.Object) bool {
		a.settle(client.ObjectKeyFromObject(object), object.GetUID())
		return true
	})
}

// remove ends what is in force for a name, unless that may belong to another object than
// the given one, which was admitted since a turn. It tells whether it did.
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
