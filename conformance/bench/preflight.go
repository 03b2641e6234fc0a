package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/conformance/history"
)

const (
	preflightNamespace = "reconform-preflight"
	// preflightPatience is how long the controller may take to be ready, which is
	// what scenarios give it too.
	preflightPatience = 45 * time.Second
	// preflightStarts is how often it may be started in vain.
	preflightStarts = 3
)

// NotStarting says that the controller under test does not start, and why.
type NotStarting struct {
	// Reason in words.
	Reason string
	// Namespace that it was tried in, under which its log and its requests lie.
	Namespace string
}

func (e *NotStarting) Error() string { return "the controller does not start: " + e.Reason }

// Preflight starts the controller once, with nothing for it to do, and stops it
// when it is ready. The error is a *NotStarting where it ends by itself time and
// again, or is not ready in time: no scenario could find more than that.
func (b *Bench) Preflight(ctx context.Context) (err error) {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: preflightNamespace}}
	_, err = b.subjects.clientset.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating the namespace of the preflight: %w", err)
	}
	s := &v1alpha1.Subject{ObjectMeta: metav1.ObjectMeta{Name: "subject", Namespace: preflightNamespace}}
	s.Spec.Replicas, s.Spec.Restart = 1, v1alpha1.RestartAlways
	changed := make(chan struct{}, 1)
	i, err := startInstance(ctx, b.subjects.environment, s, func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return fmt.Errorf("starting the controller: %w", err)
	}
	defer func() {
		// It is ended like any Subject; what it took part in stays in the history.
		err = errors.Join(err, i.stop(ctx), b.subjects.unauthorize(context.WithoutCancel(ctx), s))
	}()
	patience := time.NewTimer(time.Duration(float64(preflightPatience) * b.options.TimeoutScale))
	defer patience.Stop()
	for {
		status := i.status(0)
		replica := status.Replicas[0]
		switch {
		case status.Ready > 0:
			return nil
		case replica.Phase == v1alpha1.ReplicaExited && replica.Restarts >= preflightStarts-1:
			return &NotStarting{Reason: fmt.Sprintf("%s (%d times)", status.Message, preflightStarts), Namespace: preflightNamespace}
		}
		select {
		case <-changed:
		case <-patience.C:
			return &NotStarting{Reason: i.status(0).Message + b.refused(), Namespace: preflightNamespace}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// refused names the last requests of the preflight that failed, which may be
// why the controller did not become ready.
func (b *Bench) refused() string {
	const most = 3
	failed := map[string]bool{}
	var named []string
	for _, r := range b.options.Recorder.Requests(history.Query{Scenario: preflightNamespace}) {
		text := fmt.Sprintf("%s %s: %d", r.Verb, r.Path, r.Code)
		if r.Failed() && !failed[text] && len(named) < most {
			failed[text] = true
			named = append(named, text)
		}
	}
	if len(named) == 0 {
		return ""
	}
	return "; requests that failed: " + strings.Join(named, ", ")
}
