package play

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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

// sameSecond is how many attempts there are to create two WebApps of one name in the same
// second: a creationTimestamp has no fractions, and must not tell them apart.
const sameSecond = 4

// inGap deletes a WebApp, and creates it again, while the controller is told of neither: no
// reconcile finds it gone.
func inGap(ctx context.Context, s *stage) error {
	for attempt := range sameSecond {
		name := fmt.Sprintf("demo-%d", attempt)
		again, same, err := s.createTwice(ctx, name)
		if err != nil {
			return err
		}
		if err := s.haveUID(ctx, name, again, same); err != nil || same {
			return err
		}
	}
	return nil // The machine is too slow for one second. What was seen counts nevertheless.
}

// createTwice creates a WebApp at the beginning of a second, and, when it has its children,
// deletes it and creates it again in a gap. It returns the UID of the second one, and whether
// both were created in the same second.
func (s *stage) createTwice(ctx context.Context, name string) (_ types.UID, same bool, err error) {
	next := time.Now().Truncate(time.Second).Add(time.Second)
	if err := s.await(ctx, s.patience, func() (bool, error) { return !time.Now().Before(next), nil }); err != nil {
		return "", false, err
	}
	if err := s.create(ctx, name); err != nil {
		return "", false, err
	}
	was, err := s.webApp(ctx, name)
	if err != nil {
		return "", false, err
	}
	for _, children := range []schema.GroupVersionResource{deployments, services} {
		err := s.await(ctx, s.patience, func() (bool, error) { return s.ownedBy(ctx, children, name, was.GetUID()) })
		if wait.Interrupted(err) && ctx.Err() == nil {
			return "", false, &unmet{found: fmt.Sprintf("WebApp %s has no %s %s after it was created; %s", name, children.Resource, s.patience, s.lastWords(6)), early: true}
		}
		if err != nil {
			return "", false, err
		}
	}
	again := func() error {
		if err := s.remove(ctx, name); err != nil {
			return err
		}
		return s.create(ctx, name)
	}
	if err := s.loseDeletion(ctx, again, webApps.GroupResource().String()); err != nil {
		return "", false, err
	}
	is, err := s.webApp(ctx, name)
	if err != nil {
		return "", false, err
	}
	return is.GetUID(), was.GetCreationTimestamp() == is.GetCreationTimestamp(), nil
}

// webApp reads a WebApp.
func (s *stage) webApp(ctx context.Context, name string) (*unstructured.Unstructured, error) {
	app, err := s.client.Resource(webApps).Namespace(s.namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("looking at WebApp %s: %w", name, err)
	}
	return app, nil
}

// haveUID waits until both children of a WebApp have its UID. It was created for the second
// time, perhaps in the same second.
func (s *stage) haveUID(ctx context.Context, name string, uid types.UID, same bool) error {
	var wrong []string
	err := s.await(ctx, 2*s.patience, func() (bool, error) {
		wrong = nil
		for _, child := range []struct {
			kind     string
			resource schema.GroupVersionResource
		}{{"Deployment", deployments}, {"Service", services}} {
			owned, err := s.ownedBy(ctx, child.resource, name, uid)
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
		when := ""
		if same {
			when = ", in the second in which the first one was created"
		}
		return &unmet{found: fmt.Sprintf("WebApp %s was deleted and created again while the watch was broken%s; %s later the new one has no %s with its own UID: "+
			"the garbage collector deletes what has the UID of the old one; %s", name, when, 2*s.patience, strings.Join(wrong, " and no "), s.lastWords(6))}
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
