package disruption

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/subject"
)

// aim finds the replicas that a Disruption is about. If there are none, the status says
// whether the Disruption waits for some or has failed.
func aim(spec v1alpha1.DisruptionSpec, subject *subject.Running) ([]string, v1alpha1.DisruptionStatus) {
	if subject == nil {
		return nil, pending("there is no Subject in this namespace")
	}
	replicas, unknown := subject.Resolve(spec.Target)
	switch {
	case unknown == "" && len(replicas) > 0:
		return replicas, v1alpha1.DisruptionStatus{}
	case unknown == "":
		return nil, failed("the subject has no replicas")
	case subject.Leader == "" && (spec.Target == v1alpha1.TargetLeader || spec.Target == v1alpha1.TargetStandby):
		return nil, pending(unknown)
	default:
		return nil, failed(unknown)
	}
}

func pending(message string) v1alpha1.DisruptionStatus {
	return v1alpha1.DisruptionStatus{Phase: v1alpha1.DisruptionPending, Message: message}
}

func failed(message string) v1alpha1.DisruptionStatus {
	return v1alpha1.DisruptionStatus{Phase: v1alpha1.DisruptionFailed, Message: message}
}

// act disrupts all replicas at the same time. A process that is told to end and does not is
// killed after a time. The error says what could not be done.
func (c *Controller) act(
	ctx context.Context, d *v1alpha1.Disruption, replicas []string, killAfter time.Duration,
) (v1alpha1.DisruptionStatus, error) {
	began := time.Now()
	results := make([]v1alpha1.DisruptedReplica, len(replicas))
	errs := make([]error, len(replicas))
	var acting sync.WaitGroup
	for i, name := range replicas {
		acting.Go(func() {
			results[i].Name = name
			results[i].Exit, errs[i] = c.Processes.Disrupt(ctx, d.Namespace, name, d.Spec.Action, killAfter)
		})
	}
	acting.Wait()

	status := v1alpha1.DisruptionStatus{
		Phase: v1alpha1.DisruptionDone, Replica: replicas[0], Replicas: results, TookMs: time.Since(began).Milliseconds(),
	}
	if exit := results[0].Exit; exit != nil {
		status.ExitCode, status.Signal, status.Panic, status.TookMs = &exit.Code, exit.Signal, exit.Panic, exit.TookMs
	}
	err := errors.Join(errs...)
	if err != nil {
		status.Phase, status.Message = v1alpha1.DisruptionFailed, strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return status, err
}

// isTheirs says whether everything that went wrong is the controller's fault.
func isTheirs(err error) bool {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, part := range joined.Unwrap() {
			if !isTheirs(part) {
				return false
			}
		}
		return true
	}
	return errors.Is(err, subject.ErrOverdue) || errors.Is(err, subject.ErrNotRunning)
}
