//lab:given 06

package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// watchChildren adds handlers: every change of a child puts its WebApp into the queue.
func (c *controller) watchChildren() error {
	//lab:from 06
	//lab:todo TODO(lab): add a handler to the informers of Deployments and Services (c.children), which calls
	//lab:todo c.enqueueOwner. Wait for their caches, too: c.synced.
	for _, informer := range []cache.SharedIndexInformer{
		c.children.Apps().V1().Deployments().Informer(),
		c.children.Core().V1().Services().Informer(),
	} {
		registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    c.enqueueOwner,
			UpdateFunc: func(_, now any) { c.enqueueOwner(now) },
			DeleteFunc: c.enqueueOwner,
		})
		if err != nil {
			return fmt.Errorf("adding the handler of children: %w", err)
		}
		c.synced = append(c.synced, registration.HasSynced)
	}
	//lab:end
	return nil
}

// enqueueOwner puts the WebApp that owns the child into the queue. If no WebApp
// owns the object, the WebApp that has its name may be waiting for the name: it is put into
// the queue, too.
func (c *controller) enqueueOwner(obj any) {
	//lab:from 06
	//lab:todo TODO(lab): add the key of the WebApp that owns the child: metav1.GetControllerOf knows it. A deleted
	//lab:todo child may come as a tombstone. If no WebApp owns the object, add the WebApp that has its name.
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	child, err := meta.Accessor(obj)
	if err != nil {
		fmt.Println("an event without an object:", err)
		return
	}
	owner := metav1.GetControllerOf(child)
	if owner != nil && owner.Kind == kind.Kind {
		c.queue.Add(child.GetNamespace() + "/" + owner.Name)
		return
	}
	if _, err := c.apps.ByNamespace(child.GetNamespace()).Get(child.GetName()); err == nil {
		c.queue.Add(child.GetNamespace() + "/" + child.GetName())
	}
	//lab:end
}
