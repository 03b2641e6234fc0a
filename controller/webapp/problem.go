package webapp

import (
	"errors"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/controller/api/v1beta1"
)

// Reasons of the Degraded condition and of the Warning events.
const (
	// ReasonNameConflict: the name of a child is taken by an object that the
	// WebApp does not control.
	ReasonNameConflict = "NameConflict"
	// ReasonCreateFailed: the API server refused to create a child.
	ReasonCreateFailed = "CreateFailed"
	// ReasonUpdateFailed: the API server refused to update a child.
	ReasonUpdateFailed = "UpdateFailed"
	// ReasonConfigMapNotFound: the ConfigMap that the WebApp names is missing.
	ReasonConfigMapNotFound = "ConfigMapNotFound"
	// ReasonRolloutFailed: the Deployment reports that it gets no further.
	ReasonRolloutFailed = "RolloutFailed"
)

// maxMessage is the longest note, in bytes, that the API server accepts in an event.
const maxMessage = 1024

// problem is what keeps a WebApp from being as specified, and what its user
// should hear of.
type problem struct {
	reason  string
	message string
	cause   error // nil if no request failed
}

func (p *problem) Error() string { return p.message }
func (p *problem) Unwrap() error { return p.cause }

// refusal wraps the error of a write. It is a problem if the API server refused the
// write for a lasting reason. An error is only retried, not reported, if the write
// never reached the API server, or if it will succeed when the cache is newer, or at
// the next attempt.
func refusal(err error, reason, doing string) error {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	switch status.Status().Reason {
	case metav1.StatusReasonAlreadyExists, metav1.StatusReasonConflict, metav1.StatusReasonNotFound,
		metav1.StatusReasonTooManyRequests:
		return fmt.Errorf("%s: %w", doing, err)
	}
	return &problem{reason: reason, message: fmt.Sprintf("%s: %v", doing, err), cause: err}
}

// namespaceEnds tells whether a write was refused because the namespace is being
// deleted, and the WebApp with it.
func namespaceEnds(err error) bool {
	return apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause)
}

// problemsIn returns the problems among errs, and whether the others are nil.
func problemsIn(errs ...error) (problems []*problem, settled bool) {
	settled = true
	for _, err := range errs {
		var p *problem
		switch {
		case errors.As(err, &p):
			problems = append(problems, p)
		case err != nil:
			settled = false
		}
	}
	return problems, settled
}

// rolloutProblem returns what the Deployment itself reports as wrong, nil if
// nothing.
func rolloutProblem(d *appsv1.Deployment) *problem {
	if d == nil || d.Status.ObservedGeneration < d.Generation {
		return nil
	}
	for _, c := range d.Status.Conditions {
		stuck := c.Type == appsv1.DeploymentProgressing && c.Status == corev1.ConditionFalse
		refused := c.Type == appsv1.DeploymentReplicaFailure && c.Status == corev1.ConditionTrue
		if stuck || refused {
			return &problem{reason: ReasonRolloutFailed, message: fmt.Sprintf("Deployment %s: %s: %s", d.Name, c.Reason, c.Message)}
		}
	}
	return nil
}

// summary joins several problems into one. It returns nil if there are none.
func summary(problems []*problem) *problem {
	if len(problems) == 0 {
		return nil
	}
	messages := make([]string, len(problems))
	for i, p := range problems {
		messages[i] = p.message
	}
	return &problem{reason: problems[0].reason, message: truncated(strings.Join(messages, "; "))}
}

// warn records an event for each problem, unless the status says already that
// they are there.
func (r *Reconciler) warn(app *v1beta1.WebApp, problems []*problem) {
	if p := summary(problems); p == nil || reported(app, p) {
		return
	}
	for _, p := range problems {
		r.events.Eventf(app, nil, corev1.EventTypeWarning, p.reason, "Reconcile", "%s", truncated(p.message))
	}
}

func truncated(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	return strings.ToValidUTF8(message[:maxMessage], "")
}
