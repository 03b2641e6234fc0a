//lab:given 02

package main

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"
)

// reconcile makes the children of one WebApp what it says. It starts from what is there
// now, whichever event has led here.
func (c *controller) reconcile(ctx context.Context, key string) error {
	namespace, name, err := cache.SplitMetaNamespaceKey(key)
	if err != nil {
		return fmt.Errorf("splitting the key %q: %w", key, err)
	}
	//lab:from 02
	//lab:todo TODO(lab): get the WebApp from the cache: c.apps. Print "Sees KEY: gone" if it is not there,
	//lab:todo otherwise "Sees KEY: replicas N". An event may be old: what counts is what the cache has now.
	//lab:stub _, _ = namespace, name
	obj, err := c.apps.ByNamespace(namespace).Get(name)
	if apierrors.IsNotFound(err) {
		fmt.Printf("Sees %s: gone\n", key)
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading WebApp %s: %w", key, err)
	}
	app, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return fmt.Errorf("the cache of WebApps holds a %T", obj)
	}
	fmt.Printf("Sees %s\n", describe(app))
	//lab:end
	//lab:from 04
	//lab:todo TODO(lab): a WebApp that is being deleted (GetDeletionTimestamp) gets no children any more.
	if app.GetDeletionTimestamp() != nil {
		return nil // The garbage collector removes its children.
	}
	//lab:end
	//lab:from 03
	//lab:todo TODO(lab): call ensureDeployment, and return its error.
	//lab:end
	//lab:from 05
	//lab:todo TODO(lab): call ensureService, too. Try both, even if the first one fails.
	// One may fail while the other succeeds: both are tried.
	//lab:from 05 until 08
	//lab:old _, failed := c.ensureDeployment(ctx, app)
	//lab:end
	//lab:from 08
	deployment, failed := c.ensureDeployment(ctx, app)
	//lab:end
	failed = errors.Join(failed, c.ensureService(ctx, app))
	//lab:from 08
	//lab:todo TODO(lab): call updateStatus, even if something has failed.
	return errors.Join(failed, c.updateStatus(ctx, app, deployment, failed))
	//lab:end
	//lab:end
	//lab:from 05 until 08
	//lab:old return failed
	//lab:end
	//lab:from 03 until 05
	//lab:old _, err = c.ensureDeployment(ctx, app)
	//lab:old return err
	//lab:end
	//lab:before 03 return nil
}
