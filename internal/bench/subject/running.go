package subject

import (
	"errors"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/process/sandbox"
	"reconform.dev/reconform/internal/record/history"
)

// Errors of an action on a process that are the controller's fault.
var (
	// ErrOverdue: a process that was told to end did not, and had to be killed.
	ErrOverdue = errors.New("it had to be killed")
	// ErrNotRunning: there is no process to act on.
	ErrNotRunning = errors.New("it does not run")
)

// Subjects knows which Subjects run.
type Subjects interface {
	// Running returns the Subject in a namespace, or nil.
	Running(namespace string) *Running
}

// Running describes the Subject that runs in a namespace, as it is now.
type Running struct {
	// Name of the Subject.
	Name string
	// After is the number of the last record before it was started.
	After int64
	// Ready is true when all its replicas are ready. If one is the leader, it is enough that
	// this one is, because a standby may be unready so that it gets no requests.
	Ready bool
	// Leader is the replica that holds the Lease; empty if none does.
	Leader string
	// Replicas by name.
	Replicas []string
	// Connections is the number of open connections of each replica.
	Connections map[string]int64
	// Usage returns what the processes of a replica use now; zero if none runs, or it cannot
	// be measured.
	Usage func(replica string) sandbox.Usage
	// Led returns what tells whether a replica sent a request as the leader, or nil if that is
	// not known.
	Led func() func(history.Request) bool
}

// Resolve returns the replicas that a target means. The second result says what is unknown,
// or is empty.
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
