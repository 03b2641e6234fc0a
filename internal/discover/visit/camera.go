package visit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"reconform.dev/reconform/internal/discover/infer"
)

// camera films the objects of a namespace: it keeps every version of each.
type camera struct {
	mu     sync.Mutex
	frames []infer.Frame
	last   time.Time // when the last frame came
	lost   error     // why frames may be missing
	ended  sync.WaitGroup
}

var (
	services = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	events   = schema.GroupVersionResource{Version: "v1", Resource: "events"}
)

// film films the resources until the context ends.
func (c *camera) film(ctx context.Context, client dynamic.Interface, namespace string, resources ...schema.GroupVersionResource) error {
	for _, resource := range resources {
		there, err := client.Resource(resource).Namespace(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return fmt.Errorf("listing %s: %w", resource.Resource, err)
		}
		// It goes on where it was when the API server ends the stream, as it does now and then.
		watching, err := watchtools.NewRetryWatcherWithContext(ctx, there.GetResourceVersion(), &cache.ListWatch{
			WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
				return client.Resource(resource).Namespace(namespace).Watch(ctx, options)
			},
		})
		if err != nil {
			return fmt.Errorf("watching %s: %w", resource.Resource, err)
		}
		c.ended.Go(func() {
			defer watching.Stop()
			for event := range watching.ResultChan() {
				object, ok := event.Object.(*unstructured.Unstructured)
				switch {
				case event.Type == watch.Error:
					c.lose(fmt.Errorf("watching %s: %w", resource.Resource, apierrors.FromObject(event.Object)))
				case ok && event.Type != watch.Bookmark:
					c.add(infer.NewFrame(object, event.Type == watch.Deleted))
				}
			}
			if ctx.Err() == nil {
				c.lose(fmt.Errorf("watching %s: the watch ended", resource.Resource))
			}
		})
	}
	return nil
}

// lose notes why versions may be missing.
func (c *camera) lose(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lost = cmp.Or(c.lost, why)
}

// broken returns an error if versions may be missing: then nothing can be concluded.
func (c *camera) broken() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost
}

func (c *camera) add(frame infer.Frame) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.frames, c.last = append(c.frames, frame), time.Now()
}

// filmed returns the film up to now.
func (c *camera) filmed() infer.Film {
	c.mu.Lock()
	defer c.mu.Unlock()
	return infer.NewFilm(slices.Clone(c.frames))
}

// quiet returns how long nothing has changed.
func (c *camera) quiet() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.last)
}
