package objects

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Lost is what the status of an object says if its run is not known: the bench was started
// again since.
const Lost = "the bench that carried it out has ended"

// Runs holds what runs for each object of a kind, until the object is deleted or the
// manager ends. The zero value holds nothing.
type Runs[T any] struct {
	mu    sync.Mutex
	ended bool
	runs  map[types.NamespacedName]held[T]
}

// held is what runs for the object with the UID, with a function that ends it.
type held[T any] struct {
	uid    types.UID
	run    T
	cancel context.CancelFunc
}

// Put sets what runs for an object. What ran under its name before is ended.
func (r *Runs[T]) Put(object client.Object, run T, cancel context.CancelFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		cancel()
		return
	}
	key := client.ObjectKeyFromObject(object)
	r.end(key)
	if r.runs == nil {
		r.runs = map[types.NamespacedName]held[T]{}
	}
	r.runs[key] = held[T]{object.GetUID(), run, cancel}
}

// Of returns what runs for an object. It ends what runs for an older object with the same
// name.
func (r *Runs[T]) Of(object client.Object) (T, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := client.ObjectKeyFromObject(object)
	present, ok := r.runs[key]
	if ok && present.uid != object.GetUID() {
		r.end(key)
		return *new(T), false
	}
	return present.run, ok
}

// Named returns what runs for the object with a name.
func (r *Runs[T]) Named(key types.NamespacedName) (T, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	present, ok := r.runs[key]
	return present.run, ok
}

// All returns what runs, by the names of the objects.
func (r *Runs[T]) All() map[types.NamespacedName]T {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := map[types.NamespacedName]T{}
	for key, present := range r.runs {
		all[key] = present.run
	}
	return all
}

// End ends what runs for the object with a name.
func (r *Runs[T]) End(key types.NamespacedName) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.end(key)
}

// Start waits until the manager ends, and then ends everything that runs: Runs is a
// [sigs.k8s.io/controller-runtime/pkg/manager.Runnable].
func (r *Runs[T]) Start(ctx context.Context) error {
	<-ctx.Done()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	for key := range r.runs {
		r.end(key)
	}
	return nil
}

func (r *Runs[T]) end(key types.NamespacedName) {
	if present, ok := r.runs[key]; ok {
		present.cancel()
		delete(r.runs, key)
	}
}
