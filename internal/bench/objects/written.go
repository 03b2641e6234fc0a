package objects

import (
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// written are the objects of a kind that were written, until the cache has them. A
// write that is made of an older version is refused as a conflict.
type written struct {
	mu       sync.Mutex
	versions map[types.NamespacedName]string
}

// note notes the version that a write has returned.
func (w *written) note(object client.Object) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.versions == nil {
		w.versions = map[types.NamespacedName]string{}
	}
	w.versions[client.ObjectKeyFromObject(object)] = object.GetResourceVersion()
}

// newerThan tells whether an object was written since it had this version.
func (w *written) newerThan(object client.Object) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := client.ObjectKeyFromObject(object)
	version, ok := w.versions[key]
	if !ok {
		return false
	}
	order, err := resourceversion.CompareResourceVersion(version, object.GetResourceVersion())
	if err == nil && order > 0 {
		return true
	}
	delete(w.versions, key)
	return false
}

// forget forgets the object of a name.
func (w *written) forget(key types.NamespacedName) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.versions, key)
}
