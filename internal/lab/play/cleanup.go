package play

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// cleanup checks when a controller takes its finalizer off, and what it does until then.
func cleanup() play {
	return play{apart: map[string]bool{"cleanup/strangers": true, "cleanup/older": true}, rules: []rule{
		{"cleanup/waits", "keeps its finalizer on the WebApp while the deletion of the Deployment, or of the Service, is not over, and takes it off then", waitsForChildren},
		{"cleanup/others", fmt.Sprintf("begins the deletion of %d Deployments while that of none is over", held), begunTogether},
		{"cleanup/strangers", "deletes no Deployment and no Service of somebody else when the WebApp of that name goes", sparesStrangers},
		{"cleanup/older", "puts its finalizer on a WebApp, too, that was there and was changed before the controller came", holdsOlder},
	}}
}

// sparesStrangers deletes WebApps that have not got a child, because its name is taken.
func sparesStrangers(ctx context.Context, s *stage) error {
	const name, other = "shop", "counter"
	if err := s.occupy(ctx, name, nil, nil); err != nil {
		return err
	}
	if _, err := s.occupyService(ctx, other, nil); err != nil {
		return err
	}
	for _, each := range []struct {
		name, kind string
		strangers  schema.GroupVersionResource
	}{{name, "Deployment", deployments}, {other, "Service", services}} {
		if err := s.create(ctx, each.name); err != nil {
			return err
		}
		// By then the controller has looked at it. It may stop at the first child that it cannot have.
		if _, err := s.within(ctx, s.patience, func() (bool, error) {
			app, err := s.webApp(ctx, each.name)
			return err == nil && len(app.GetFinalizers()) > 0, err
		}); err != nil {
			return err
		}
		if err := s.remove(ctx, each.name); err != nil {
			return err
		}
		gone, err := s.within(ctx, s.patience, func() (bool, error) {
			there, err := s.exists(ctx, webApps, each.name)
			return !there, err
		})
		if err != nil {
			return err
		}
		stranger, err := s.client.Resource(each.strangers).Namespace(s.namespace).Get(ctx, each.name, metav1.GetOptions{})
		if err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("looking at what is somebody else's: %w", err)
		}
		if err != nil || stranger.GetDeletionTimestamp() != nil {
			return &unmet{found: fmt.Sprintf("%s %s was there before WebApp %[2]s, and nobody owns it; the WebApp was deleted, and so was that; %[3]s", each.kind, each.name, s.lastWords(6))}
		}
		if !gone {
			return &unmet{found: fmt.Sprintf("WebApp %s was deleted, whose %s is somebody else's, and it is still there %s later; %s", each.name, each.kind, s.patience, s.lastWords(6))}
		}
	}
	return nil
}

// holdsOlder creates a WebApp, and changes it, while the controller is not there.
func holdsOlder(ctx context.Context, s *stage) error {
	const name = "older"
	if _, err := s.disrupt(ctx, v1alpha1.ActionTerminate); err != nil {
		return err
	}
	if err := s.create(ctx, name); err != nil {
		return err
	}
	if err := s.scale(ctx, name, 3); err != nil {
		return err
	}
	if _, err := s.disrupt(ctx, v1alpha1.ActionRestart); err != nil {
		return err
	}
	if err := s.ready(ctx); err != nil {
		return err
	}
	if err := s.hasBoth(ctx, name); err != nil {
		return err
	}
	app, err := s.webApp(ctx, name)
	if err != nil {
		return err
	}
	if len(app.GetFinalizers()) == 0 {
		return &unmet{found: fmt.Sprintf("WebApp %s was created, and scaled, before the controller was started; now it has its children, and no finalizer; %s", name, s.lastWords(6))}
	}
	return nil
}

// held is how many WebApps are being deleted at the same time: four times as many as there are
// workers.
const held = 8

// begunTogether has the Deployments of all these WebApps stay. A worker that waits for the end
// of one begins with no other.
func begunTogether(ctx context.Context, s *stage) error {
	var names []string
	for n := range held {
		names = append(names, fmt.Sprintf("held-%d", n))
		if err := s.createWith(ctx, names[n], map[string]any{"image": "registry.example/demo:v1", "replicas": int64(1), "port": int64(8080)}); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := first(s.served(ctx, name, s.patience)); err != nil {
			return err
		}
		if err := s.finalizers(ctx, deployments, name, elsewhere); err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := s.remove(ctx, name); err != nil {
			return err
		}
	}
	begun := 0
	err := s.await(ctx, s.patience, func() (bool, error) {
		all, err := s.kube.AppsV1().Deployments(s.namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, fmt.Errorf("looking at the deletion of Deployments: %w", err)
		}
		begun = 0
		for _, d := range all.Items {
			if d.DeletionTimestamp != nil && slices.Contains(names, d.Name) {
				begun++
			}
		}
		return begun == held, nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("%d WebApps were deleted, and somebody else's finalizers hold their Deployments; %s later only %d of these Deployments are being deleted; %s",
			held, s.patience, begun, s.lastWords(6))}
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := s.finalizers(ctx, deployments, name, none); err != nil {
			return err
		}
	}
	return nil
}

// elsewhere are the finalizers of a Deployment that somebody else holds.
const elsewhere = `["example.com/elsewhere"]`

// lingering is how long the Deployment stays after it was deleted.
const lingering = 1500 * time.Millisecond

// waitsForChildren has the deletion of each child take a while.
func waitsForChildren(ctx context.Context, s *stage) error {
	if err := s.waitsFor(ctx, "Deployment", deployments, "lasting"); err != nil {
		return err
	}
	return s.waitsFor(ctx, "Service", services, "lingering")
}

// waitsFor puts a finalizer on a child, so that its deletion takes a while.
func (s *stage) waitsFor(ctx context.Context, kind string, children schema.GroupVersionResource, name string) error {
	if err := s.withBoth(ctx, name); err != nil {
		return err
	}
	if err := s.finalizers(ctx, children, name, elsewhere); err != nil {
		return err
	}
	if err := s.remove(ctx, name); err != nil {
		return err
	}
	err := s.await(ctx, s.patience, func() (bool, error) {
		child, err := s.client.Resource(children).Namespace(s.namespace).Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, &unmet{found: fmt.Sprintf("WebApp %s was deleted, and its %s is gone, though somebody else's finalizer held it; %s", name, kind, s.lastWords(6))}
		}
		if err != nil {
			return false, fmt.Errorf("looking at the deletion of a %s: %w", kind, err)
		}
		return child.GetDeletionTimestamp() != nil, nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("WebApp %s was deleted, and %s later nobody has deleted its %s; %s", name, s.patience, kind, s.lastWords(6)), early: true}
	}
	if err != nil {
		return err
	}
	gone := func() (bool, error) {
		_, err := s.client.Resource(webApps).Namespace(s.namespace).Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return false, err
	}
	err = s.await(ctx, lingering, gone)
	if err == nil {
		return &unmet{found: fmt.Sprintf("WebApp %[1]s was deleted, and is gone; its %[2]s is still there: somebody else's finalizer holds it; %[3]s", name, kind, s.lastWords(6))}
	}
	if !wait.Interrupted(err) || ctx.Err() != nil {
		return err
	}
	if err := s.finalizers(ctx, children, name, none); err != nil {
		return err
	}
	err = s.await(ctx, s.patience, gone)
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("WebApp %s was deleted, its %s was gone later, and the WebApp is still there after %s; %s", name, kind, s.patience, s.lastWords(6))}
	}
	return err
}

// none takes all finalizers off.
const none = "null"

// finalizers sets those of a child, as somebody else. Who takes them off need not find it.
func (s *stage) finalizers(ctx context.Context, children schema.GroupVersionResource, name, all string) error {
	patch := fmt.Appendf(nil, `{"metadata":{"finalizers":%s}}`, all)
	_, err := s.client.Resource(children).Namespace(s.namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	switch {
	case apierrors.IsNotFound(err) && all == none:
		return nil
	case apierrors.IsNotFound(err):
		return &unmet{found: fmt.Sprintf("WebApp %s had its children, and of %s it has none any more; %s", name, children.Resource, s.lastWords(6)), early: true}
	case err != nil:
		return fmt.Errorf("setting the finalizers of a child: %w", err)
	}
	return nil
}
