package proxy

import (
	"encoding/json"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// versions are the newest versions of objects that the replica was shown. The API server
// carries out a write that names the version it is based on only if the object still has that
// version. So if that version is here, it need not be read before the write.
type versions struct {
	mu     sync.Mutex
	newest map[objectKey]version
}

type objectKey struct {
	resource        schema.GroupVersionResource
	namespace, name string
}

// version is one version of an object.
type version struct {
	name    string // its resourceVersion
	content json.RawMessage
}

// show notes what an answer shows of an object.
func (v *versions) show(resource schema.GroupVersionResource, one identity, content json.RawMessage) {
	// Tables, and objects with nothing but metadata, have a version of their own. Lists and
	// bookmarks have no name.
	if one.APIVersion != resource.GroupVersion().String() || one.Metadata.ResourceVersion == "" || one.Metadata.Name == "" {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.newest[one.key(resource)] = version{one.Metadata.ResourceVersion, content}
}

// forget is called when an object is gone, or may be.
func (v *versions) forget(key objectKey) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.newest, key)
}

// find returns a version of an object, or nil if that is not the newest one that the replica
// was shown.
func (v *versions) find(key objectKey, name string) object {
	v.mu.Lock()
	newest := v.newest[key]
	v.mu.Unlock()
	if name == "" || newest.name != name {
		return nil
	}
	found, _ := decodeObject(newest.content) // if it cannot be read, the object is read anew
	return found
}
