package disruption

import (
	"context"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/subject"
)

// Processes are the replicas that run. Something can be done to them.
type Processes interface {
	subject.Subjects
	// Disrupt does something to a replica and returns once it is done. The exit is
	// that of the process that it ended, nil where it ended none. Within bounds how
	// long a process that is told to end may take. For the errors
	// [subject.ErrOverdue] and [subject.ErrNotRunning] the controller is to blame.
	Disrupt(ctx context.Context, namespace, replica string, action v1alpha1.DisruptionAction, within time.Duration) (*v1alpha1.Exit, error)
}
