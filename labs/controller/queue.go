//lab:given 02

package main

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/util/workqueue"
)

//lab:given 10

// A WebApp whose reconcile failed is looked at again after shortestPause, then after
// twice as long each time, up to longestPause, without end.
const (
	shortestPause = 100 * time.Millisecond
	longestPause  = 30 * time.Second
)

//lab:end

// newQueue returns the queue between the handlers and the workers. It holds a key once,
// however often it is added, and hands it to one worker at a time.
func newQueue() workqueue.TypedRateLimitingInterface[string] {
	//lab:given 10
	return workqueue.NewTypedRateLimitingQueue(
		workqueue.NewTypedItemExponentialFailureRateLimiter[string](shortestPause, longestPause))
	//lab:end
	//lab:given 02 until given 10
	//lab:old return workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	//lab:end
}

// processNext waits for a key and reconciles it. It returns false once the queue is shut
// down and empty.
func (c *controller) processNext(ctx context.Context) bool {
	//lab:from 02
	//lab:todo TODO(lab): get a key (queue.Get), print "Started KEY", call c.reconcileSlowly, print "Finished KEY".
	//lab:todo The queue gives the key to no other worker until you call Done.
	//lab:stub return false
	key, shutdown := c.queue.Get()
	if shutdown {
		return false
	}
	defer c.queue.Done(key) // Now it may be handed out again.

	fmt.Println("Started", key)
	err := c.reconcileSlowly(ctx, key)
	fmt.Println("Finished", key)
	//lab:from 02 until given 10
	//lab:old if err != nil {
	//lab:old 	fmt.Printf("reconciling %s failed: %v\n", key, err)
	//lab:old }
	//lab:end
	//lab:given 10
	c.finish(key, err)
	//lab:end
	return true
	//lab:end
}

// reconcileSlowly takes at least as long as --pretend-work says: half of that time before
// the look into the cache, and half after it.
func (c *controller) reconcileSlowly(ctx context.Context, key string) error {
	time.Sleep(c.pretendWork / 2)
	defer time.Sleep(c.pretendWork / 2)
	return c.reconcile(ctx, key)
}

//lab:given 10

// finish decides when a WebApp is looked at again.
func (c *controller) finish(key string, err error) {
	//lab:from 10
	//lab:todo TODO(lab): retry a failure with a growing pause (AddRateLimited), as often as it takes.
	//lab:todo After a success the next failure starts with the shortest pause again (Forget).
	//lab:todo If the error is permanent, look at the WebApp again only after c.permanentPause (AddAfter).
	//lab:stub if err != nil {
	//lab:stub 	fmt.Printf("reconciling %s failed: %v\n", key, err)
	//lab:stub }
	switch {
	case err == nil:
		c.queue.Forget(key)
	case permanent(err):
		// The same request fails again, until somebody changes something. If that is the
		// WebApp, its event comes before the pause is over.
		fmt.Printf("reconciling %s failed for good: %v\n", key, err)
		c.queue.Forget(key)
		c.queue.AddAfter(key, c.permanentPause)
	default:
		fmt.Printf("reconciling %s failed (attempt %d): %v\n", key, c.queue.NumRequeues(key)+1, err)
		c.queue.AddRateLimited(key)
	}
	//lab:end
}

// permanent tells whether the same request would fail again.
func permanent(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsForbidden(err)
}

//lab:end
