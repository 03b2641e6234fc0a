package play

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

// copies checks whether what a controller has wished for, and not got, is in its cache.
func copies() play {
	return play{rules: []rule{{
		"copy/whole", "brings a new image and a new port into the Deployment and the Service, and later their labels, though the first two updates of each fail", whole,
	}}}
}

// whole changes a WebApp. Who has changed the cache's own object finds no difference at
// the next attempt, in those parts that the copy shared with it.
func whole(ctx context.Context, s *stage) error {
	const image, port = "registry.example/demo:v2", 9090
	if err := s.create(ctx, "demo"); err != nil {
		return err
	}
	if err := first(s.awaitChildren(ctx, "registry.example/demo:v1", 8080)); err != nil {
		return err
	}
	// An event of a child would put the right object into the cache.
	if err := s.rolledOut(ctx, "demo"); err != nil {
		return err
	}
	const twice = "the first two updates of each child were answered with 500"
	if err := s.failTwice(ctx, "spec"); err != nil {
		return err
	}
	if err := s.patch(ctx, "demo", fmt.Sprintf(`{"spec":{"image":%q,"port":%d}}`, image, port)); err != nil {
		return err
	}
	if err := told(s.awaitChildren(ctx, image, port), "WebApp demo got a new image and a new port, and "+twice); err != nil {
		return err
	}
	if err := s.rolledOut(ctx, "demo"); err != nil {
		return err
	}
	if err := s.settle(ctx); err != nil && !wait.Interrupted(err) {
		return err
	}
	own, err := s.labelsOf(ctx)
	if err != nil {
		return err
	}
	if err := s.failTwice(ctx, "labels"); err != nil {
		return err
	}
	if err := s.mislabel(ctx, own, false); err != nil {
		return err
	}
	return told(s.awaitLabels(ctx, own), "somebody else has changed the labels of the children, and "+twice)
}

// failTwice has the next two updates of each child fail.
func (s *stage) failTwice(ctx context.Context, at string) error {
	for _, resource := range []string{"deployments.apps", "services"} {
		kind, _, _ := strings.Cut(resource, ".")
		if err := s.bench(ctx, "faults", "Fault", kind+"-"+at, map[string]any{
			"match": map[string]any{"verbs": []any{"update"}, "resources": []any{resource}, "names": []any{"demo"}},
			"times": int64(2), "action": map[string]any{"respond": map[string]any{"code": int64(500)}},
		}); err != nil {
			return err
		}
	}
	return nil
}

// awaitChildren waits until the children have an image and a port.
func (s *stage) awaitChildren(ctx context.Context, image string, port int32) error {
	var missing []string
	err := s.await(ctx, s.patience, func() (bool, error) {
		missing = nil
		deployment, err := s.kube.AppsV1().Deployments(s.namespace).Get(ctx, "demo", metav1.GetOptions{})
		service, errOfService := s.kube.CoreV1().Services(s.namespace).Get(ctx, "demo", metav1.GetOptions{})
		if err := errors.Join(err, errOfService); apierrors.IsNotFound(err) || apierrors.IsNotFound(errOfService) {
			missing = append(missing, err.Error())
			return false, nil
		} else if err != nil {
			return false, fmt.Errorf("looking at the children: %w", err)
		}
		for _, c := range deployment.Spec.Template.Spec.Containers {
			if c.Name != "app" {
				continue
			}
			if c.Image != image {
				missing = append(missing, fmt.Sprintf("the Deployment still has the image %s, and not %s", c.Image, image))
			}
			if len(c.Ports) != 1 || c.Ports[0].ContainerPort != port {
				missing = append(missing, fmt.Sprintf("the Deployment does not have the port %d", port))
			}
		}
		if len(service.Spec.Ports) != 1 || service.Spec.Ports[0].Port != port {
			missing = append(missing, fmt.Sprintf("the Service does not have the port %d", port))
		}
		return len(missing) == 0, nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("after %s %s; %s", s.patience, strings.Join(missing, ", "), s.lastWords(6))}
	}
	return err
}
