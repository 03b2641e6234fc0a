package disruption

import (
	"context"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/subject"
)

// Processes are the running replicas. A Disruption can act on them.
type Processes interface {
	subject.Subjects
	// Disrupt does something to a replica and returns when it is done. The exit is that of
	// the process that ended, or nil if none ended. The time within is how long a process
	// that is told to end may take. The errors [subject.ErrOverdue] and
	// [subject.ErrNotRunning] are the controller's fault.
	Disrupt(ctx context.Context, namespace, replica string, action v1alpha1.DisruptionAction, within time.Duration) (*v1alpha1.Exit, error)
}
