package play

import (
	"cmp"
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
)

// status checks what a WebApp says of itself when its Deployment cannot be made.
func status() play {
	return play{apart: map[string]bool{"status/failed": true, "status/all": true, "status/available": true, "status/again": true}, rules: []rule{
		{"status/failed", `says Degraded, and prints "NAMESPACE/NAME", with "failed", while the Deployment or the Service of that name is somebody else's, and Degraded of one that was Running while its Deployment cannot be updated`, failedPhase},
		{"status/all", "is not Running if one of ten Pods is not ready, though the Deployment is Available, and counts those that are ready", oneMissing},
		{"status/available", "is Running when its Pods are available, which comes some time after they are ready, and not before", lateAvailable},
		{"status/again", `prints "NAMESPACE/NAME", with "failed", if the status cannot be written, and writes it at the next look`, writtenAgain},
	}}
}

// oneMissing takes the readiness of one Pod of ten, and then of another. With these missing, a
// Deployment is still Available: a quarter of its Pods may be.
func oneMissing(ctx context.Context, s *stage) error {
	const name, pods = "decade", 10
	if err := s.create(ctx, name); err != nil {
		return err
	}
	if err := s.scale(ctx, name, pods); err != nil {
		return err
	}
	if err := first(s.phase(ctx, name, "all its Pods are ready", func(phase string) bool { return phase == "Running" })); err != nil {
		return err
	}
	deployment, err := s.kube.AppsV1().Deployments(s.namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("looking for the Pods of a Deployment: %w", err)
	}
	all, err := s.kube.CoreV1().Pods(s.namespace).List(ctx, metav1.ListOptions{LabelSelector: metav1.FormatLabelSelector(deployment.Spec.Selector)})
	if err != nil {
		return fmt.Errorf("listing the Pods of a Deployment: %w", err)
	}
	if len(all.Items) < pods {
		return &unmet{found: fmt.Sprintf("WebApp %s is Running with %d Pods, and asks for %d", name, len(all.Items), pods)}
	}
	if err := s.unready(ctx, name, all.Items[0].Name, pods-1); err != nil {
		return err
	}
	if err := s.phase(ctx, name, "it asks for 10 Pods, and one of them is no longer ready (the Deployment is still Available)",
		func(phase string) bool { return phase != "Running" }); err != nil {
		return err
	}
	// The phase stays, and the number does not.
	if err := s.unready(ctx, name, all.Items[1].Name, pods-2); err != nil {
		return err
	}
	return s.countsReady(ctx, name, "it asks for 10 Pods, and two of them are no longer ready", pods-2)
}

// unready takes the readiness of a Pod, and waits until the Deployment has as many left.
func (s *stage) unready(ctx context.Context, deployment, pod string, left int32) error {
	patch := []byte(`{"metadata":{"annotations":{"reconform.dev/ready":"false"}}}`)
	if _, err := s.kube.CoreV1().Pods(s.namespace).Patch(ctx, pod, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("making a Pod unready: %w", err)
	}
	return s.deploymentIs(ctx, deployment, func(d *appsv1.Deployment) bool { return d.Status.ReadyReplicas == left })
}

// noticed is how long a phase must be wrong: until then it may be that of the time before.
const noticed = time.Second

// lateAvailable makes the Pods count as available only some time after they are ready. When
// they become available, nothing else of the Deployment changes.
func lateAvailable(ctx context.Context, s *stage) error {
	const name, pods = "unhurried", 3
	if err := s.createServed(ctx, name); err != nil {
		return err
	}
	late := []byte(`{"spec":{"minReadySeconds":2}}`)
	if _, err := s.kube.AppsV1().Deployments(s.namespace).Patch(ctx, name, types.MergePatchType, late, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("changing a Deployment: %w", err)
	}
	if err := s.scale(ctx, name, pods); err != nil {
		return err
	}
	var looked error
	var early time.Time // since when it has been Running too early
	tooEarly := false
	if err := s.deploymentIs(ctx, name, func(d *appsv1.Deployment) bool {
		if d.Status.ReadyReplicas == pods && d.Status.AvailableReplicas == pods && d.Status.Replicas == pods || looked != nil {
			return true
		}
		var phase string
		if phase, looked = s.phaseOf(ctx, name); phase != "Running" || d.Status.ReadyReplicas < pods {
			early = time.Time{}
		} else if early.IsZero() {
			early = time.Now()
		}
		tooEarly = !early.IsZero() && time.Since(early) > noticed
		return tooEarly
	}); err != nil || looked != nil {
		return cmp.Or(looked, err)
	}
	if tooEarly {
		return &unmet{found: fmt.Sprintf("WebApp %s: all its Pods are ready, not all are available (minReadySeconds), and for %s its status.phase has been Running; %s",
			name, noticed, s.lastWords(6))}
	}
	return s.phase(ctx, name, "its Pods were ready, and some time later they are available, too (minReadySeconds)",
		func(phase string) bool { return phase == "Running" })
}

// deploymentIs waits until a Deployment is as the bench makes it.
func (s *stage) deploymentIs(ctx context.Context, name string, so func(*appsv1.Deployment) bool) error {
	there := false // Some controllers delete it, and create another.
	err := s.await(ctx, s.patience, func() (bool, error) {
		d, err := s.kube.AppsV1().Deployments(s.namespace).Get(ctx, name, metav1.GetOptions{})
		if there = err == nil; apierrors.IsNotFound(err) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("looking at a Deployment: %w", err)
		}
		return so(d), nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		if !there {
			return &unmet{found: fmt.Sprintf("there is no Deployment %s any more; %s", name, s.lastWords(6))}
		}
		return errTooSlow // The Pods are the bench's.
	}
	return err
}

// writtenAgain lets the writes of a status fail until no event comes any more. The next look
// is due to a child, so the WebApp in the cache is the same as before.
func writtenAgain(ctx context.Context, s *stage) error {
	const name = "late"
	if err := s.bench(ctx, "faults", "Fault", name, map[string]any{
		"match":  map[string]any{"verbs": []any{"update"}, "resources": []any{"webapps.apps.kubedojo.io"}, "names": []any{name}, "subresource": "status"},
		"action": map[string]any{"respond": map[string]any{"code": int64(500)}},
	}); err != nil {
		return err
	}
	if err := s.createServed(ctx, name); err != nil {
		return err
	}
	if err := s.noMoreEvents(ctx, name); err != nil {
		return err
	}
	if err := s.settle(ctx); err != nil && !wait.Interrupted(err) {
		return err
	}
	const done = "writes of its status were answered with 500"
	if err := s.expectFailureSince(ctx, name, 0, done); err != nil {
		return err
	}
	if err := s.finished(ctx, name); err != nil {
		return err
	}
	if err := s.endFault(ctx, name); err != nil {
		return err
	}
	// An annotation would raise the generation of the Deployment, and with that the phase changes.
	touch := []byte(`{"metadata":{"labels":{"example.com/note":"look"}}}`)
	if _, err := s.kube.AppsV1().Deployments(s.namespace).Patch(ctx, name, types.MergePatchType, touch, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("changing a Deployment: %w", err)
	}
	return s.phase(ctx, name, done+", that is over, and its Deployment has changed", func(phase string) bool { return phase != "" })
}

// countsReady waits until the readyReplicas of a WebApp are as many as wanted. since says in
// words what has happened.
func (s *stage) countsReady(ctx context.Context, name, since string, want int64) error {
	var ready int64
	err := s.await(ctx, s.patience, func() (bool, error) {
		app, err := s.webApp(ctx, name)
		if err != nil {
			return false, err
		}
		ready, _, err = unstructured.NestedInt64(app.Object, "status", "readyReplicas")
		return ready == want, err
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("WebApp %s: %s, and %s later its status.readyReplicas is %d; %s", name, since, s.patience, ready, s.lastWords(6))}
	}
	return err
}

// phase waits until the phase of a WebApp is right. since says in words what has happened.
func (s *stage) phase(ctx context.Context, name, since string, right func(string) bool) error {
	var phase string
	err := s.await(ctx, s.patience, func() (bool, error) {
		var err error
		phase, err = s.phaseOf(ctx, name)
		return err == nil && right(phase), err
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("WebApp %s: %s, and %s later its status.phase is %q; %s", name, since, s.patience, phase, s.lastWords(6))}
	}
	return err
}

// phaseOf returns the phase of a WebApp.
func (s *stage) phaseOf(ctx context.Context, name string) (string, error) {
	app, err := s.webApp(ctx, name)
	if err != nil {
		return "", err
	}
	phase, _, err := unstructured.NestedString(app.Object, "status", "phase")
	return phase, err
}

// failedPhase looks at WebApps of which one child cannot be had, until it can.
func failedPhase(ctx context.Context, s *stage) error {
	for _, each := range []struct {
		name, kind string
		occupy     func(name string) error
		vacate     func(ctx context.Context, name string) error
	}{
		{"shop", "Deployment", func(name string) error { return s.occupy(ctx, name, nil, nil) }, s.loseChild},
		{"stall", "Service", func(name string) error {
			_, err := s.occupyService(ctx, name, nil)
			return err
		}, s.loseService},
	} {
		if err := each.occupy(each.name); err != nil {
			return err
		}
		if err := s.create(ctx, each.name); err != nil {
			return err
		}
		taken := fmt.Sprintf("its %s is somebody else's", each.kind)
		if err := s.phase(ctx, each.name, taken, func(phase string) bool { return phase == "Degraded" }); err != nil {
			return err
		}
		if err := s.expectFailure(ctx, each.name, fmt.Sprintf("WebApp %s: %s", each.name, taken)); err != nil {
			return err
		}
		if err := each.vacate(ctx, each.name); err != nil {
			return err
		}
		if err := s.phase(ctx, each.name, taken+", and was deleted", func(phase string) bool { return phase != "Degraded" }); err != nil {
			return err
		}
	}
	return s.failedLater(ctx)
}

// failedLater has updates of a Deployment fail whose WebApp was Running before.
func (s *stage) failedLater(ctx context.Context) error {
	const name, done = "upright", "it was Running, then it was scaled, and updates of its Deployment were answered with 500"
	if err := s.withBoth(ctx, name); err != nil {
		return err
	}
	if err := first(s.phase(ctx, name, "all its Pods are ready", func(phase string) bool { return phase == "Running" })); err != nil {
		return err
	}
	due := ofReplicas()
	if err := s.refuse(ctx, due, name, 500); err != nil {
		return err
	}
	if err := due.cause(s, ctx, name); err != nil {
		return err
	}
	if err := s.phase(ctx, name, done, func(phase string) bool { return phase == "Degraded" }); err != nil {
		return err
	}
	if err := s.endFault(ctx, name); err != nil {
		return err
	}
	if err := s.patch(ctx, name, `{"metadata":{"annotations":{"example.com/note":"look"}}}`); err != nil {
		return err
	}
	return s.phase(ctx, name, done+"; that is over, and it was changed again", func(phase string) bool { return phase == "Running" })
}
