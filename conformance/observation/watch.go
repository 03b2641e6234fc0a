package observation

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

const (
	maxViolations = 20
	maxExcerpt    = 1024
)

// observer follows the objects of one Observation from the moment it is opened.
type observer struct {
	rule     *rule
	onChange func()

	mu     sync.Mutex
	status v1alpha1.ObservationStatus
	last   map[string]map[string]any // by the object's name
}

// open lists what is there, which are versions too, and returns once the watch
// that follows is established. The watch ends with ctx.
func open(ctx context.Context, client dynamic.ResourceInterface, name string, r *rule, onChange func()) (*observer, error) {
	options := metav1.ListOptions{}
	if name != "" {
		options.FieldSelector = fields.OneTermEqualSelector("metadata.name", name).String()
	}
	list, err := client.List(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("listing what is to be observed: %w", err)
	}
	o := &observer{rule: r, onChange: onChange, last: map[string]map[string]any{}}
	o.status.Phase = v1alpha1.ObservationWatching
	o.status.Violations = []v1alpha1.ObservedViolation{}
	for i := range list.Items {
		o.see(&list.Items[i], false)
	}
	// The retrying watcher resumes at the last version it delivered, so that
	// none is skipped when the stream breaks.
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(), &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, w metav1.ListOptions) (watch.Interface, error) {
			w.FieldSelector = options.FieldSelector
			return client.Watch(ctx, w)
		},
	})
	if err != nil {
		return nil, fmt.Errorf("watching what is to be observed: %w", err)
	}
	go o.follow(ctx, watcher)
	return o, nil
}

func (o *observer) follow(ctx context.Context, watcher *watchtools.RetryWatcher) {
	defer watcher.Stop()
	for event := range watcher.ResultChan() {
		switch event.Type {
		case watch.Added, watch.Modified, watch.Deleted:
			if object, ok := event.Object.(*unstructured.Unstructured); ok {
				o.see(object, event.Type == watch.Deleted)
				o.onChange()
			}
		case watch.Error:
			o.lose(fmt.Sprintf("the watch broke, versions may be missing: %v", event.Object))
		}
	}
	if ctx.Err() == nil {
		o.lose("the watch ended, versions may be missing")
	}
}

// see judges one version.
func (o *observer) see(object *unstructured.Unstructured, deleted bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	name := object.GetName()
	before, after := o.last[name], object.Object
	if deleted {
		after = nil
		delete(o.last, name)
	} else {
		o.last[name] = after
	}
	o.status.Versions++
	if !deleted && !equality.Semantic.DeepEqual(before["status"], after["status"]) {
		o.status.Statuses++
	}
	o.status.SeenResourceVersion = object.GetResourceVersion()
	if o.rule.holds(before, after) && len(o.status.Violations) < maxViolations {
		o.status.Violations = append(o.status.Violations, v1alpha1.ObservedViolation{
			Name:            name,
			ResourceVersion: object.GetResourceVersion(),
			Generation:      object.GetGeneration(),
			Excerpt:         excerpt(object),
		})
	}
}

// lose marks the observation as one that cannot be trusted any more.
func (o *observer) lose(message string) {
	o.mu.Lock()
	o.status.Phase = v1alpha1.ObservationInvalid
	o.status.Message = message
	o.mu.Unlock()
	o.onChange()
}

func (o *observer) snapshot() v1alpha1.ObservationStatus {
	o.mu.Lock()
	defer o.mu.Unlock()
	return *o.status.DeepCopy()
}

// excerpt is the object's spec and status as JSON, cut short.
func excerpt(object *unstructured.Unstructured) string {
	data, err := json.Marshal(map[string]any{"spec": object.Object["spec"], "status": object.Object["status"]})
	if err != nil {
		return err.Error()
	}
	if len(data) > maxExcerpt {
		return string(data[:maxExcerpt]) + "…"
	}
	return string(data)
}
