package play

import (
	"context"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
)

// cleanup checks when a controller takes its finalizer off, and what it does until then.
func cleanup() play {
	return play{rules: []rule{
		{"cleanup/waits", "keeps its finalizer on the WebApp while the deletion of the Deployment is not over, and takes it off then", waitsForChild},
		{"cleanup/others", fmt.Sprintf("begins the deletion of %d Deployments while that of none is over", held), begunTogether},
	}}
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
		if err := s.finalizers(ctx, name, elsewhere); err != nil {
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
		if err := s.finalizers(ctx, name, none); err != nil {
			return err
		}
	}
	return nil
}

// elsewhere are the finalizers of a Deployment that somebody else holds.
const elsewhere = `["example.com/elsewhere"]`

// lingering is how long the Deployment stays after it was deleted.
const lingering = 1500 * time.Millisecond

// waitsForChild puts a finalizer on the Deployment, so that its deletion takes a while.
func waitsForChild(ctx context.Context, s *stage) error {
	const name = "lasting"
	if err := s.withBoth(ctx, name); err != nil {
		return err
	}
	if err := s.finalizers(ctx, name, elsewhere); err != nil {
		return err
	}
	if err := s.remove(ctx, name); err != nil {
		return err
	}
	err := s.await(ctx, s.patience, func() (bool, error) {
		deployment, err := s.kube.AppsV1().Deployments(s.namespace).Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, &unmet{found: fmt.Sprintf("WebApp %s was deleted, and its Deployment is gone, though somebody else's finalizer held it; %s", name, s.lastWords(6))}
		}
		if err != nil {
			return false, fmt.Errorf("looking at the deletion of a Deployment: %w", err)
		}
		return deployment.DeletionTimestamp != nil, nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("WebApp %s was deleted, and %s later nobody has deleted its Deployment; %s", name, s.patience, s.lastWords(6)), early: true}
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
		return &unmet{found: fmt.Sprintf("WebApp %[1]s was deleted, and is gone; its Deployment is still there: somebody else's finalizer holds it; %[2]s", name, s.lastWords(6))}
	}
	if !wait.Interrupted(err) || ctx.Err() != nil {
		return err
	}
	if err := s.finalizers(ctx, name, none); err != nil {
		return err
	}
	err = s.await(ctx, s.patience, gone)
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("WebApp %s was deleted, its Deployment was gone later, and the WebApp is still there after %s; %s", name, s.patience, s.lastWords(6))}
	}
	return err
}

// none takes all finalizers off.
const none = "null"

// finalizers sets those of a Deployment, as somebody else. Who takes them off need not find it.
func (s *stage) finalizers(ctx context.Context, name, all string) error {
	patch := fmt.Appendf(nil, `{"metadata":{"finalizers":%s}}`, all)
	_, err := s.kube.AppsV1().Deployments(s.namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	switch {
	case apierrors.IsNotFound(err) && all == none:
		return nil
	case apierrors.IsNotFound(err):
		return &unmet{found: fmt.Sprintf("WebApp %s had its Deployment, and has it no more; %s", name, s.lastWords(6)), early: true}
	case err != nil:
		return fmt.Errorf("setting the finalizers of a Deployment: %w", err)
	}
	return nil
}
