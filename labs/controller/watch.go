package main

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
)

// webApps is what the API server calls WebApps in its paths.
var webApps = schema.GroupVersionResource{Group: "apps.kubedojo.io", Version: "v1beta1", Resource: "webapps"}

// watchOnly prints what happens to WebApps, until ctx ends.
func watchOnly(ctx context.Context, factory dynamicinformer.DynamicSharedInformerFactory) error {
	informer := factory.ForResource(webApps).Informer()
	if _, err := informer.AddEventHandler(printer()); err != nil {
		return fmt.Errorf("adding the handler of WebApps: %w", err)
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return errors.New("the cache of WebApps did not fill")
	}
	<-ctx.Done()
	return nil
}

// printer prints one line for each change: Added, Updated or Deleted, and of which WebApp.
func printer() cache.ResourceEventHandler {
	//lab:from 01
	//lab:todo TODO(lab): print "Added NAMESPACE/NAME", "Updated …" and "Deleted …", one line for each change.
	//lab:todo A resync or a new list tells of every object again, as it was: that is not a change.
	//lab:stub return cache.ResourceEventHandlerFuncs{}
	return cache.ResourceEventHandlerFuncs{
		AddFunc: func(obj any) { fmt.Println("Added", describe(obj)) },
		UpdateFunc: func(before, now any) {
			if version(before) != version(now) { // Otherwise it is a resync.
				fmt.Println("Updated", describe(now))
			}
		},
		DeleteFunc: func(obj any) { fmt.Println("Deleted", describe(obj)) },
	}
	//lab:end
}

//lab:from 01

// version tells two states of an object apart.
func version(obj any) string {
	if app, ok := obj.(*unstructured.Unstructured); ok {
		return app.GetResourceVersion()
	}
	return ""
}

//lab:end

//lab:given 01

// describe says which WebApp it is, and what it asks for.
func describe(obj any) string {
	// A deletion that fell into a gap of the watch is told by a tombstone.
	if tombstone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = tombstone.Obj
	}
	app, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return fmt.Sprintf("not a WebApp, but: %T", obj)
	}
	replicas, _, _ := unstructured.NestedInt64(app.Object, "spec", "replicas")
	return fmt.Sprintf("%s/%s: replicas %d", app.GetNamespace(), app.GetName(), replicas)
}

//lab:end
