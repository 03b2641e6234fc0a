package storage

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/klog/v2"
)

const (
	workers = 4
	// The pauses after a failure, before the next attempt.
	shortestPause = 20 * time.Millisecond
	longestPause  = 5 * time.Second
)

// Driver makes, changes and deletes volumes. Make one with [NewDriver].
type Driver struct {
	cluster kubernetes.Interface
	claims  cache.SharedIndexInformer
	volumes cache.SharedIndexInformer
	queue   workqueue.TypedRateLimitingInterface[item]
}

// item is a claim that has changed, or a volume if it has no namespace.
type item = cache.ObjectName

// NewDriver returns a Driver that does nothing before Run is called.
func NewDriver(cluster kubernetes.Interface) (*Driver, error) {
	limiter := workqueue.NewTypedItemExponentialFailureRateLimiter[item](shortestPause, longestPause)
	d := &Driver{
		cluster: cluster,
		claims:  informer(cluster, "persistentvolumeclaims", &corev1.PersistentVolumeClaim{}),
		volumes: informer(cluster, "persistentvolumes", &corev1.PersistentVolume{}),
		queue:   workqueue.NewTypedRateLimitingQueue(limiter),
	}
	for _, source := range []cache.SharedIndexInformer{d.claims, d.volumes} {
		if _, err := source.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    d.enqueue,
			UpdateFunc: func(_, now any) { d.enqueue(now) },
		}); err != nil {
			return nil, fmt.Errorf("watching claims and volumes: %w", err)
		}
		// client-go tries a failed watch again. The error is ignored, because the
		// Driver has no log.
		if err := source.SetWatchErrorHandlerWithContext(func(context.Context, *cache.Reflector, error) {}); err != nil {
			return nil, fmt.Errorf("watching claims and volumes: %w", err)
		}
	}
	return d, nil
}

func informer(cluster kubernetes.Interface, resource string, of runtime.Object) cache.SharedIndexInformer {
	source := cache.NewListWatchFromClient(cluster.CoreV1().RESTClient(), resource, "", fields.Everything())
	return cache.NewSharedIndexInformer(source, of, 0, cache.Indexers{})
}

func (d *Driver) enqueue(object any) {
	if name, err := cache.ObjectToName(object); err == nil {
		d.queue.Add(name)
	}
}

// Run serves claims and volumes until ctx ends, and returns when nothing of it runs any
// more. Without an API server it waits for it.
func (d *Driver) Run(ctx context.Context) {
	ctx = klog.NewContext(ctx, logr.Discard())
	var running sync.WaitGroup
	defer running.Wait()
	defer d.queue.ShutDown()
	running.Go(func() { d.claims.RunWithContext(ctx) })
	running.Go(func() { d.volumes.RunWithContext(ctx) })
	if !cache.WaitForCacheSync(ctx.Done(), d.claims.HasSynced, d.volumes.HasSynced) {
		return
	}
	for range workers {
		running.Go(func() {
			for d.next(ctx) {
			}
		})
	}
	<-ctx.Done()
}

// next serves one item, and returns false after the end.
func (d *Driver) next(ctx context.Context) bool {
	name, down := d.queue.Get()
	if down {
		return false
	}
	defer d.queue.Done(name)
	if err := d.serve(ctx, name); err != nil && !apierrors.IsNotFound(err) {
		d.queue.AddRateLimited(name)
		return true
	}
	d.queue.Forget(name)
	return true
}

func (d *Driver) serve(ctx context.Context, name item) error {
	if name.Namespace == "" {
		volume := cached[*corev1.PersistentVolume](d.volumes, name.Name)
		if volume == nil {
			return nil
		}
		return d.reclaim(ctx, volume)
	}
	claim := cached[*corev1.PersistentVolumeClaim](d.claims, name.String())
	switch {
	case claim == nil || claim.DeletionTimestamp != nil:
		return nil
	case claim.Spec.VolumeName == "":
		return d.provision(ctx, claim)
	default:
		return d.change(ctx, claim)
	}
}

// cached returns an object of an informer's cache, or nil.
func cached[T any](source cache.SharedIndexInformer, key string) (none T) {
	object, exists, err := source.GetStore().GetByKey(key)
	if err != nil || !exists {
		return none
	}
	return object.(T)
}
