package observation

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// follow lists the existing objects, which count as versions too. It returns when the
// watch after that list is established. The watch ends with ctx.
func follow(ctx context.Context, client dynamic.ResourceInterface, name string, judge *judge, onChange func()) error {
	options := metav1.ListOptions{LabelSelector: "!" + v1alpha1.LabelBystander}
	if name != "" {
		options.FieldSelector = fields.OneTermEqualSelector("metadata.name", name).String()
	}
	list, err := client.List(ctx, options)
	if err != nil {
		return fmt.Errorf("listing what is to be observed: %w", err)
	}
	judge.start(list.Items, list.GetResourceVersion(), time.Now())
	// The retrying watcher resumes at the last version that it delivered, so no version is
	// skipped if the stream breaks.
	watcher, err := watchtools.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(), &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, w metav1.ListOptions) (watch.Interface, error) {
			w.FieldSelector, w.LabelSelector = options.FieldSelector, options.LabelSelector
			return client.Watch(ctx, w)
		},
	})
	if err != nil {
		return fmt.Errorf("watching what is to be observed: %w", err)
	}
	go pass(ctx, watcher, judge, onChange)
	return nil
}

// pass passes what a watch delivers to the judge.
func pass(ctx context.Context, watcher *watchtools.RetryWatcher, judge *judge, onChange func()) {
	defer watcher.Stop()
	for event := range watcher.ResultChan() {
		switch event.Type {
		case watch.Added, watch.Modified, watch.Deleted:
			if object, ok := event.Object.(*unstructured.Unstructured); ok {
				judge.version(object, event.Type, time.Now())
				onChange()
			}
		case watch.Error:
			judge.lose(fmt.Sprintf("the watch broke, versions may be missing: %v", event.Object))
			onChange()
		}
	}
	if ctx.Err() == nil {
		judge.lose("the watch ended, versions may be missing")
		onChange()
	}
}
