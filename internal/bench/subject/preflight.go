package subject

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
	"reconform.dev/reconform/internal/process/capture"
	"reconform.dev/reconform/internal/record/history"
)

// PreflightNamespace is the namespace of the preflight.
const PreflightNamespace = "reconform-preflight"

const (
	// preflightPatience is how long the controller may take to be ready. Scenarios give it
	// the same time.
	preflightPatience = 45 * time.Second
	podPatience       = 3 * time.Minute
	// preflightStarts is how often its start may fail.
	preflightStarts = 3
	// misplacedPatience is how long it may serve other ports or paths than the one by which
	// the profile says that it is ready.
	misplacedPatience = 15 * time.Second
	// mostLog is how much of its log is kept, in bytes.
	mostLog = 256 << 10
)

// NotStarting says that the controller under test does not start, and why.
type NotStarting struct {
	// Reason in words.
	Reason string
	// Namespace in which it was tried. Its log and its requests are stored under this name.
	Namespace string
	// Log is the end of what it had written before it was stopped.
	Log string
}

func (e *NotStarting) Error() string {
	text := "the controller does not start: " + e.Reason
	if strings.TrimSpace(e.Log) == "" {
		text += "; it wrote nothing"
	}
	return text
}

// Preflight starts the controller once, gives it nothing to do, and stops it when it is
// ready. The error is a *NotStarting if the controller ends by itself again and again, or
// is not ready in time. Then no scenario could find more than that.
//
// TimeoutScale multiplies the time that the controller may take.
func (s *Controller) Preflight(ctx context.Context, timeoutScale float64) (err error) {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: PreflightNamespace, Labels: map[string]string{v1alpha1.LabelBench: v1alpha1.BenchMade},
	}}
	_, err = s.Clientset.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating the namespace of the preflight: %w", err)
	}
	subject := &v1alpha1.Subject{ObjectMeta: metav1.ObjectMeta{Name: "subject", Namespace: PreflightNamespace}}
	subject.Spec.Replicas, subject.Spec.Restart = 1, v1alpha1.RestartAlways
	changed := make(chan struct{}, 1)
	i, err := startInstance(ctx, &s.Environment, subject, func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return fmt.Errorf("starting the controller: %w", err)
	}
	defer func() {
		// It is stopped like any Subject; its requests stay in the history.
		err = errors.Join(err, i.stop(ctx), s.unauthorize(context.WithoutCancel(ctx), subject))
	}()
	r := i.list()[0]
	not := func(reason string) *NotStarting {
		log, _ := capture.ReadEnd(s.logPath(PreflightNamespace, r.name), mostLog) // without it, the reason must do
		return &NotStarting{Reason: reason, Namespace: PreflightNamespace, Log: log}
	}
	patience := time.NewTimer(time.Duration(float64(s.preflightPatience()) * timeoutScale))
	defer patience.Stop()
	look := time.NewTicker(probeWhileStarting)
	defer look.Stop()
	for {
		status := i.status(0)
		replica := status.Replicas[0]
		switch {
		case status.Ready > 0 && s.heard():
			r.notePages(ctx)
			return nil
		case replica.Phase == v1alpha1.ReplicaExited && replica.Restarts >= preflightStarts-1:
			return not(fmt.Sprintf("%s (%d times)", status.Message, preflightStarts) + s.refused())
		case r.misplaced() > time.Duration(float64(misplacedPatience)*timeoutScale):
			return not(status.Message + s.refused())
		}
		select {
		case <-changed:
		case <-look.C:
		case <-patience.C:
			reason := i.status(0).Message + s.refused()
			if status.Ready > 0 {
				reason = "it is ready, and none of its requests came through the bench's proxy: it finds its API server by other means than a Pod's"
			}
			return not(reason)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// preflightPatience is longer for a Pod, because its images may have to be pulled.
func (s *Controller) preflightPatience() time.Duration {
	if s.Pods != nil {
		return podPatience
	}
	return preflightPatience
}

// heard tells whether any request of the preflight came through the proxy. A controller
// whose requests do not come through it cannot be judged.
func (s *Controller) heard() bool {
	return len(s.Recorder.Requests(history.Query{Scenario: PreflightNamespace})) > 0
}

// refused returns the last failed requests of the preflight, which may be the reason why
// the controller did not become ready.
func (s *Controller) refused() string {
	const most = 3
	failed := map[string]bool{}
	var named []string
	for _, r := range s.Recorder.Requests(history.Query{Scenario: PreflightNamespace}) {
		text := fmt.Sprintf("%s %s: %d", r.Verb, r.Path, r.Code)
		if r.Note == history.NoteClusterScoped {
			text += " (" + r.Note + ")"
		}
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
