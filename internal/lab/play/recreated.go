package play

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
)

// recreated checks whose the children are if a name is used again.
func recreated() play {
	return play{rules: []rule{{
		"recreated/in-gap", "gives both children the UID of the new WebApp if that was deleted and created again while the watch was broken", inGap,
	}}}
}

// inGap deletes a WebApp, and creates it again, while the controller is told of neither: no
// reconcile finds it gone.
func inGap(ctx context.Context, s *stage) error {
	if err := s.create(ctx, "demo"); err != nil {
		return err
	}
	if err := first(s.awaitChildren(ctx, "registry.example/demo:v1", 8080)); err != nil {
		return err
	}
	again := func() error {
		if err := s.remove(ctx, "demo"); err != nil {
			return err
		}
		return s.create(ctx, "demo")
	}
	if err := s.loseDeletion(ctx, again, webApps.GroupResource().String()); err != nil {
		return err
	}
	app, err := s.client.Resource(webApps).Namespace(s.namespace).Get(ctx, "demo", metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("looking at the new WebApp: %w", err)
	}
	var wrong []string
	err = s.await(ctx, 2*s.patience, func() (bool, error) {
		wrong = nil
		for _, child := range []struct {
			kind     string
			resource schema.GroupVersionResource
		}{{"Deployment", deployments}, {"Service", services}} {
			owned, err := s.ownedBy(ctx, child.resource, "demo", app.GetUID())
			if err != nil {
				return false, err
			}
			if !owned {
				wrong = append(wrong, child.kind)
			}
		}
		return len(wrong) == 0, nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("WebApp demo was deleted and created again while the watch was broken; %s later the new one has no %s with its own UID: "+
			"the garbage collector deletes what has the UID of the old one; %s", 2*s.patience, strings.Join(wrong, " and no "), s.lastWords(6))}
	}
	return err
}

// ownedBy tells whether a child is there, and belongs to the WebApp with a UID.
func (s *stage) ownedBy(ctx context.Context, children schema.GroupVersionResource, name string, uid types.UID) (bool, error) {
	all, err := s.client.Resource(children).Namespace(s.namespace).List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		return false, fmt.Errorf("looking at the owner of a child: %w", err)
	}
	for n := range all.Items {
		if slices.ContainsFunc(all.Items[n].GetOwnerReferences(), func(o metav1.OwnerReference) bool { return o.UID == uid }) {
			return true, nil
		}
	}
	return false, nil
}
