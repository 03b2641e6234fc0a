package webapp

import (
	"errors"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/controller/api/v1beta1"
)

// errStatusBehind says that the cache shows an older WebApp than the one whose status
// was written last. Its status must not be used.
var errStatusBehind = errors.New("the cache does not show the status that was written last")

// lastWrites are the versions of WebApps that this controller wrote and that the cache
// may not show yet. Until the cache shows such a version, its status is outdated.
type lastWrites struct {
	mu       sync.Mutex
	versions map[types.NamespacedName]version
}

// version is one version of one WebApp.
type version struct {
	uid             types.UID
	resourceVersion string
}

// note remembers the version that the API server answered a write with.
func (l *lastWrites) note(app *v1beta1.WebApp) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.versions == nil {
		l.versions = map[types.NamespacedName]version{}
	}
	l.versions[client.ObjectKeyFromObject(app)] = version{app.UID, app.ResourceVersion}
}

// caughtUp returns an error if app, as the cache shows it, is older than what was
// written. The reconcile must then be retried, because an event about the status starts
// none.
func (l *lastWrites) caughtUp(app *v1beta1.WebApp) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := client.ObjectKeyFromObject(app)
	if written := l.versions[key]; written.uid == app.UID {
		order, err := resourceversion.CompareResourceVersion(app.ResourceVersion, written.resourceVersion)
		if err == nil && order < 0 {
			return errStatusBehind
		}
	}
	delete(l.versions, key)
	return nil
}

// forget removes the version of a WebApp that is gone.
func (l *lastWrites) forget(key types.NamespacedName) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.versions, key)
}
