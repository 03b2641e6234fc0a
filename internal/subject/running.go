package subject

import (
	"errors"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/sandbox"
)

// Errors of something that is done to a process, for which the controller is to blame.
var (
	// ErrOverdue: a process that was told to end had to be killed.
	ErrOverdue = errors.New("it had to be killed")
	// ErrNotRunning: there is no process to do something to.
	ErrNotRunning = errors.New("it does not run")
)

// Subjects knows which Subjects run.
type Subjects interface {
	// Running is the Subject in a namespace; nil where there is none.
	Running(namespace string) *Running
}

// Running describes the Subject that runs in a namespace, as it is now.
type Running struct {
	// Name of the Subject.
	Name string
	// After is the number of the last record before it was started.
	After int64
	// Ready is true once all its replicas are. Where one leads it is enough that this one
	// is: a standby may be unready so that nobody is sent to it.
	Ready bool
	// Leader is the replica that holds the Lease; empty where none does.
	Leader string
	// Replicas by name.
	Replicas []string
	// Connections that each replica has open.
	Connections map[string]int64
	// Usage is what the processes of a replica hold now; nothing where none runs, or it
	// cannot be measured.
	Usage func(replica string) sandbox.Usage
}

// Resolve says which replicas a target means. The second result says what is
// unknown, and is empty where nothing is.
func (s *Running) Resolve(target string) (replicas []string, unknown string) {
	switch target {
	case "", v1alpha1.TargetAll:
		return s.Replicas, ""
	case v1alpha1.TargetLeader, v1alpha1.TargetStandby:
		if s.Leader == "" {
			return nil, "the subject has no leader"
		}
		if target == v1alpha1.TargetLeader {
			return []string{s.Leader}, ""
		}
		standby := slices.DeleteFunc(slices.Clone(s.Replicas), func(name string) bool { return name == s.Leader })
		if len(standby) == 0 {
			return nil, "the subject has no standby"
		}
		return standby, ""
	}
	if slices.Contains(s.Replicas, target) {
		return []string{target}, ""
	}
	return nil, "the subject has no replica " + target + "; give All, Leader, Standby or a replica's name"
}
