package visit

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"reconform.dev/reconform/internal/discover/infer"
)

// camera films the objects of a namespace: it keeps every version of each.
type camera struct {
	mu     sync.Mutex
	frames []infer.Frame
	last   time.Time // when the last frame came
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
		watching, err := client.Resource(resource).Namespace(namespace).Watch(ctx, metav1.ListOptions{ResourceVersion: there.GetResourceVersion()})
		if err != nil {
			return fmt.Errorf("watching %s: %w", resource.Resource, err)
		}
		c.ended.Go(func() {
			defer watching.Stop()
			for {
				select {
				case event, open := <-watching.ResultChan():
					if !open {
						return
					}
					if object, ok := event.Object.(*unstructured.Unstructured); ok && event.Type != watch.Bookmark {
						c.add(infer.Frame{Object: object, Gone: event.Type == watch.Deleted})
					}
				case <-ctx.Done():
					return
				}
			}
		})
	}
	return nil
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
