//lab:given 02

package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	appslisters "k8s.io/client-go/listers/apps/v1"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
)

// controllerOptions are what a controller is made of.
type controllerOptions struct {
	webApps dynamicinformer.DynamicSharedInformerFactory
	//lab:given 03
	kube kubernetes.Interface // writes the children
	//lab:end
	//lab:given 06
	children informers.SharedInformerFactory // watches them
	//lab:end
	//lab:given 08
	client dynamic.Interface // writes the status
	//lab:end
	//lab:given 10
	permanentPause time.Duration
	//lab:end
	//lab:given 09
	recorder record.EventRecorder
	//lab:end
	pretendWork time.Duration
}

// controller keeps the children of WebApps as the WebApps say.
type controller struct {
	controllerOptions
	queue  workqueue.TypedRateLimitingInterface[string]
	apps   cache.GenericLister
	synced []cache.InformerSynced
	//lab:given 06
	deployments appslisters.DeploymentLister
	services    corelisters.ServiceLister
	//lab:end
}

// newController makes a controller. It does nothing before start and run.
func newController(o controllerOptions) (*controller, error) {
	c := &controller{
		controllerOptions: o,
		queue:             newQueue(),
		apps:              o.webApps.ForResource(webApps).Lister(),
	}
	//lab:given 06
	c.deployments = o.children.Apps().V1().Deployments().Lister()
	c.services = o.children.Core().V1().Services().Lister()
	//lab:end
	// Whatever has happened to a WebApp, what is to be done is found out by reconcile.
	informer := o.webApps.ForResource(webApps).Informer()
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    c.enqueue,
		UpdateFunc: func(_, now any) { c.enqueue(now) },
		DeleteFunc: c.enqueue,
	})
	if err != nil {
		return nil, fmt.Errorf("adding the handler of WebApps: %w", err)
	}
	c.synced = append(c.synced, registration.HasSynced)
	//lab:given 06
	if err := c.watchChildren(); err != nil {
		return nil, err
	}
	//lab:end
	return c, nil
}

// enqueue puts the key of a WebApp into the queue: its namespace and its name.
func (c *controller) enqueue(obj any) {
	//lab:from 02
	//lab:todo TODO(lab): add the key of the object to the queue. Which function knows tombstones, too?
	key, err := cache.DeletionHandlingMetaNamespaceKeyFunc(obj)
	if err != nil {
		fmt.Println("an event without an object:", err)
		return
	}
	c.queue.Add(key)
	//lab:end
}

// start begins to fill the caches.
func (c *controller) start(ctx context.Context) {
	c.webApps.Start(ctx.Done())
	//lab:given 06
	c.children.Start(ctx.Done())
	//lab:end
}

//lab:given 02 until given 11
//lab:old // run starts the workers once the caches are full: a cache that is not shows as missing what is there.
//lab:old func (c *controller) run(ctx context.Context, workers int) error {
//lab:old 	if !cache.WaitForCacheSync(ctx.Done(), c.synced...) {
//lab:old 		return errors.New("the caches did not fill")
//lab:old 	}
//lab:old 	for range workers {
//lab:old 		go c.work(ctx)
//lab:old 	}
//lab:old 	<-ctx.Done()
//lab:old 	return nil
//lab:old }
//lab:old
//lab:old // work reconciles one WebApp after the other.
//lab:old func (c *controller) work(ctx context.Context) {
//lab:old 	for c.processNext(ctx) {
//lab:old 	}
//lab:old }
//lab:end

//lab:given 11

// run starts the workers once the caches are full: a cache that is not shows as missing
// what is there. When ctx ends it lets the running reconciles finish, within the grace.
// Their requests are sent in the context requests, which ends only when nothing more may
// be sent.
func (c *controller) run(ctx, requests context.Context, workers int, grace time.Duration) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	context.AfterFunc(requests, stop)
	if !cache.WaitForCacheSync(ctx.Done(), c.synced...) {
		if requests.Err() == nil {
			return nil // It was told to stop before it began.
		}
		return errors.New("the caches did not fill")
	}
	//lab:from 11
	//lab:todo TODO(lab): after ctx has ended, shut the queue down and wait for the workers: a sync.WaitGroup.
	//lab:todo They may take no longer than the grace: their requests end with a context of their own.
	//lab:stub for range workers {
	//lab:stub 	go c.work(ctx, requests)
	//lab:stub }
	//lab:stub <-ctx.Done()
	requests, breakOff := context.WithCancel(requests)
	defer breakOff()
	var running sync.WaitGroup
	for range workers {
		running.Go(func() { c.work(ctx, requests) })
	}
	<-ctx.Done()
	fmt.Println("Stopping")
	c.queue.ShutDown() // Wakes the workers that wait for a key.
	patience := time.AfterFunc(grace, breakOff)
	defer patience.Stop()
	running.Wait()
	fmt.Println("Stopped")
	//lab:end
	return nil
}

// work reconciles one WebApp after the other until ctx ends. What is left in the queue
// then is for the next start, which looks at everything.
func (c *controller) work(ctx, requests context.Context) {
	for ctx.Err() == nil && c.processNext(requests) {
	}
}

//lab:end
