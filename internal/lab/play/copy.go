package play

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// copies checks whether what a controller has wished for, and not got, is in its cache.
func copies() play {
	return play{rules: []rule{{
		"copy/whole", "brings a new image and a new port into the Deployment and the Service, and later their labels, though the first two updates of each fail", whole,
	}}}
}

// untouched checks the same for a controller that does not try again: at its next look.
func untouched() play {
	return play{rules: []rule{{
		"cache/untouched", "brings a new image and a new port into the Deployment and the Service, and later their labels, at the next look if the first update of each fails", nextLook,
	}}}
}

// whole changes a WebApp, and later its children, while the first two updates of each fail.
func whole(ctx context.Context, s *stage) error {
	return s.changeInVain(ctx, 2, "the first two updates of each child were answered with 500", func(context.Context, string) error { return nil })
}

// nextLook does so while the first update of each fails, and then makes the controller look
// again.
func nextLook(ctx context.Context, s *stage) error {
	return s.changeInVain(ctx, 1, "the first update of each child was answered with 500; after that, an annotation of the WebApp was changed, so that it looks again", s.lookAgain)
}

// changeInVain changes a WebApp, and later the labels of its children, and lets some updates of
// the children fail each time. A controller that has changed the cache's own object finds no
// difference at the next attempt, in those parts that the copy shared with it.
func (s *stage) changeInVain(ctx context.Context, updates int64, inVain string, again func(ctx context.Context, at string) error) error {
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
	if err := s.fail(ctx, updates, "spec"); err != nil {
		return err
	}
	if err := s.patch(ctx, "demo", fmt.Sprintf(`{"spec":{"image":%q,"port":%d}}`, image, port)); err != nil {
		return err
	}
	if err := again(ctx, "spec"); err != nil {
		return err
	}
	if err := told(s.awaitChildren(ctx, image, port), "WebApp demo got a new image and a new port, and "+inVain); err != nil {
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
	if err := s.fail(ctx, updates, "labels"); err != nil {
		return err
	}
	if err := s.mislabel(ctx, own, onlyChildren); err != nil {
		return err
	}
	if err := again(ctx, "labels"); err != nil {
		return err
	}
	return told(s.awaitLabels(ctx, own), "somebody else has changed the labels of the children, and "+inVain)
}

// lookAgain waits for an update that fails, and then changes a note on the WebApp, more than
// once: the look that repairs one child may be the first at the other. A controller may pass
// over what is no change of the spec: then a note on the Service leads to a look.
func (s *stage) lookAgain(ctx context.Context, at string) error {
	const looks, between = 3, 500 * time.Millisecond
	if done, err := s.within(ctx, s.patience, func() (bool, error) { return s.haveFailed(ctx, at) }); !done || err != nil {
		return err // If it has sent no update, what follows says so.
	}
	began := time.Now()
	for n := range looks {
		if err := s.note(ctx, fmt.Sprintf("%s %d", at, n)); err != nil {
			return err
		}
		since := time.Now()
		if err := s.await(ctx, s.patience, func() (bool, error) { return time.Since(since) > between, nil }); err != nil {
			return err
		}
	}
	changes := v1alpha1.RequestMatch{Verbs: []string{history.VerbUpdate}, Resources: []string{"deployments.apps", "services"}}
	if len(s.recorder.Requests(history.Query{Scenario: s.namespace, Since: began, Match: changes})) > 0 {
		return nil
	}
	note := fmt.Sprintf(`{"metadata":{"annotations":{"example.com/note":%q}}}`, at)
	if _, err := s.client.Resource(services).Namespace(s.namespace).Patch(ctx, "demo", types.MergePatchType, []byte(note), metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("changing an annotation of the Service: %w", err)
	}
	return nil
}

// within is like await, and tells whether it was done in time.
func (s *stage) within(ctx context.Context, long time.Duration, done func() (bool, error)) (bool, error) {
	err := s.await(ctx, long, done)
	if wait.Interrupted(err) && ctx.Err() == nil {
		return false, nil
	}
	return err == nil, err
}

// haveFailed tells whether an update of a child has failed.
func (s *stage) haveFailed(ctx context.Context, at string) (bool, error) {
	for _, fault := range updatesOf(at) {
		var f v1alpha1.Fault
		if err := s.get(ctx, "faults", fault, &f); f.Status.Hits > 0 || err != nil {
			return err == nil, err
		}
	}
	return false, nil
}

// fail lets the next updates of each child fail.
func (s *stage) fail(ctx context.Context, updates int64, at string) error {
	for resource, fault := range updatesOf(at) {
		if err := s.bench(ctx, "faults", "Fault", fault, map[string]any{
			"match": map[string]any{"verbs": []any{"update"}, "resources": []any{resource}, "names": []any{"demo"}},
			"times": updates, "action": map[string]any{"respond": map[string]any{"code": int64(500)}},
		}); err != nil {
			return err
		}
	}
	return nil
}

// updatesOf are the names of the faults for the updates of each child, by its resource.
func updatesOf(at string) map[string]string {
	return map[string]string{"deployments.apps": "deployments-" + at, "services": "services-" + at}
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
