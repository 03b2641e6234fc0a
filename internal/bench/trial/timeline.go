package trial

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/objects"
)

// version is an object as it was from one moment on.
type version struct {
	// resource as plural.group.
	resource string
	*unstructured.Unstructured
	seen time.Time
	gone bool
}

// key names the object as in an outcome.
func (v version) key() string { return v.resource + " " + v.GetName() }

// before says whether a version is older than another one, of any object.
func (v version) before(other version) bool {
	order, err := resourceversion.CompareResourceVersion(v.GetResourceVersion(), other.GetResourceVersion())
	return err == nil && order < 0
}

// timeline is all versions of the objects of a Trial, from its beginning.
type timeline struct {
	stop    context.CancelFunc
	running sync.WaitGroup

	mu       sync.Mutex
	versions []version
	broken   bool
}

// follow begins a timeline.
func (r *run) follow(ctx context.Context) (*timeline, error) {
	ctx, cancel := context.WithCancel(ctx)
	t := &timeline{stop: cancel}
	for _, name := range r.spec.Resources {
		if err := t.add(ctx, r, name); err != nil {
			t.end()
			return nil, fmt.Errorf("following %s: %w", name, err)
		}
	}
	return t, nil
}

// add follows the objects of one resource.
func (t *timeline) add(ctx context.Context, r *run, name string) error {
	mapping, err := objects.FindResource(r.Mapper, name)
	if err != nil {
		return err
	}
	client := r.resourceOf(operation{resource: mapping.Resource, cluster: mapping.Scope.Name() != meta.RESTScopeNameNamespace})
	options := metav1.ListOptions{LabelSelector: "!" + v1alpha1.LabelBystander}
	list, err := client.List(ctx, options)
	if err != nil {
		return err
	}
	resource := mapping.Resource.GroupResource().String()
	for i := range list.Items {
		t.note(version{resource: resource, Unstructured: &list.Items[i], seen: time.Now()})
	}
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(), &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, w metav1.ListOptions) (watch.Interface, error) {
			w.LabelSelector = options.LabelSelector
			return client.Watch(ctx, w)
		},
	})
	if err != nil {
		return err
	}
	t.running.Go(func() {
		defer watcher.Stop()
		for event := range watcher.ResultChan() {
			object, ok := event.Object.(*unstructured.Unstructured)
			if !ok || event.Type == watch.Error {
				t.lose()
				return
			}
			t.note(version{resource, object, time.Now(), event.Type == watch.Deleted})
		}
		if ctx.Err() == nil {
			t.lose()
		}
	})
	return nil
}

func (t *timeline) note(v version) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.versions = append(t.versions, v)
}

// count returns how many versions there are. The second result is false if some may be missing.
func (t *timeline) count() (versions int, all bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.versions), !t.broken
}

// has says whether there is such an object that is not being deleted, as it was last seen.
func (t *timeline) has(such func(version) bool) bool {
	return slices.ContainsFunc(t.latest(), such)
}

// latest returns the objects that are not being deleted, as they were last seen, in the order of
// their names.
func (t *timeline) latest() []version {
	t.mu.Lock()
	defer t.mu.Unlock()
	last := map[string]version{}
	for _, v := range t.versions {
		last[v.key()] = v
	}
	maps.DeleteFunc(last, func(_ string, v version) bool { return v.gone || v.GetDeletionTimestamp() != nil })
	return slices.SortedFunc(maps.Values(last), func(a, b version) int { return strings.Compare(a.key(), b.key()) })
}

// lose notes that versions may be missing.
func (t *timeline) lose() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.broken = true
}

// end ends a timeline, and returns the versions by object, each in order. It returns nothing
// if versions may be missing.
func (t *timeline) end() map[string][]version {
	t.stop()
	t.running.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	all := map[string][]version{}
	if t.broken {
		return all
	}
	for _, v := range t.versions {
		all[v.key()] = append(all[v.key()], v)
	}
	for _, versions := range all {
		slices.SortStableFunc(versions, func(a, b version) int {
			switch {
			case a.before(b):
				return -1
			case b.before(a):
				return 1
			}
			return 0
		})
	}
	return all
}
