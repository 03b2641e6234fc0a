package subject

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/process/sandbox"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
)

// stopTimeout limits how long a Subject may take to end.
const stopTimeout = 20 * time.Second

// instance is one running Subject.
type instance struct {
	env      *Environment
	subject  *v1alpha1.Subject
	tokens   tokens
	reader   *reader
	after    int64 // the last record before it was started
	onChange func()
	monitor  *invariant.Monitor
	// unwatch ends the wait for the first child.
	unwatch func()

	// changes counts all changes. told are those in the status that was computed last, and
	// reported those in the last status that the API server has.
	changes, told, reported atomic.Int64

	// scaling is held while replicas are started or stopped. mu is held only while the list
	// is read or changed, because a replica that is being stopped may have an open request
	// that asks for the list.
	scaling  sync.Mutex
	mu       sync.Mutex
	replicas []*replica
}

// startInstance gives the Subject its rights and starts its replicas.
func startInstance(ctx context.Context, env *Environment, s *v1alpha1.Subject, onChange func()) (*instance, error) {
	if err := env.makeHome(ctx, s); err != nil {
		return nil, err
	}
	tokens, err := env.authorize(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := env.setUp(ctx, s); err != nil {
		return nil, err
	}
	if err := env.register(ctx, s); err != nil {
		return nil, err
	}
	i := &instance{env: env, subject: s.DeepCopy(), tokens: tokens, after: env.Recorder.LastSeq()}
	i.reader = &reader{env: env, subject: i.subject}
	i.onChange = func() {
		i.changes.Add(1)
		onChange()
	}
	env.Recorder.Event(history.Event{
		Scenario: s.Namespace, Subject: s.Name, Reason: history.SubjectStarted, Message: fmt.Sprintf("%d replicas", s.Spec.Replicas),
		Election: s.Spec.LeaderElection,
	})
	i.monitor = invariant.Watch(env.Recorder, invariant.ContractOf(env.Profile(s.Namespace)), s.Namespace, i.after, i.onChange)
	i.unwatch = i.surround(ctx)
	if err := i.scale(ctx, s.Spec.Replicas); err != nil {
		return nil, errors.Join(err, i.stop(ctx))
	}
	return i, nil
}

// scale starts missing replicas and stops surplus ones, the last first.
func (i *instance) scale(ctx context.Context, want int32) error {
	i.scaling.Lock()
	defer i.scaling.Unlock()
	replicas := i.list()
	for len(replicas) < int(want) {
		name := fmt.Sprintf("%s-%d", i.subject.Name, len(replicas))
		r, err := startReplica(ctx, i.env, i.subject, name, i.tokens, i.reader, i.onChange)
		if err != nil {
			return err
		}
		replicas = append(replicas, r)
		i.set(replicas)
	}
	for len(replicas) > int(want) {
		last := len(replicas) - 1
		if err := replicas[last].stop(ctx); err != nil {
			return err
		}
		replicas = replicas[:last]
		i.set(replicas)
	}
	return nil
}

// list returns a copy of the list of replicas.
func (i *instance) list() []*replica {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.replicas)
}

func (i *instance) set(replicas []*replica) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.replicas = slices.Clone(replicas)
}

// stop ends all replicas at the same time. It does so even if the context has ended,
// because a bench that shuts down must wait for its processes.
func (i *instance) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	defer i.monitor.Stop()
	i.unwatch()
	i.scaling.Lock()
	defer i.scaling.Unlock()
	replicas := i.list()
	errs := make([]error, len(replicas))
	var stopped sync.WaitGroup
	for n, r := range replicas {
		stopped.Go(func() { errs[n] = r.stop(ctx) })
	}
	stopped.Wait()
	i.set(nil)
	i.env.Recorder.Event(history.Event{
		Scenario: i.subject.Namespace, Subject: i.subject.Name, Reason: subjectStopped,
	})
	return errors.Join(append(errs, i.reader.remove(ctx))...)
}

// leader returns the replica that holds the Lease, if there is an election. If the process
// that took the Lease has ended, its replica is no longer the leader, although nobody else
// can take the Lease yet.
func (i *instance) leader() string {
	lease, ok := i.env.Profile(i.subject.Namespace).Lease(i.subject.Namespace)
	if !ok || !i.subject.Spec.LeaderElection {
		return ""
	}
	write, ok := i.env.Recorder.LeaseWrite(i.subject.Namespace, types.NamespacedName{Namespace: lease.Namespace, Name: lease.Name})
	if !ok || write.Holder == "" {
		return ""
	}
	if r := i.replica(write.Replica); r != nil {
		if l := r.life(); l != nil && l.after < write.Seq {
			return r.name
		}
	}
	return ""
}

// status returns what the Subject's status should say now.
func (i *instance) status(generation int64) v1alpha1.SubjectStatus {
	status := v1alpha1.SubjectStatus{
		Leader: i.leader(), Home: i.env.home(i.subject), ServiceAccount: i.subject.Name,
		ObservedGeneration: generation, Violations: i.monitor.Violations(),
	}
	var messages []string
	for _, r := range i.list() {
		replica, message := r.snapshot()
		if replica.Readyz {
			status.Ready++
		}
		if message != "" {
			messages = append(messages, message)
		}
		status.Replicas = append(status.Replicas, replica)
	}
	status.Message = strings.Join(messages, "; ")
	return status
}

// usage returns what the processes of a replica use.
func (i *instance) usage(replica string) sandbox.Usage {
	var usage sandbox.Usage
	if r := i.replica(replica); r != nil {
		if l := r.life(); l != nil {
			usage, _ = l.process.Usage() // zero if there is an error
		}
	}
	return usage
}

// running describes the instance for measurements.
func (i *instance) running() *Running {
	running := &Running{
		Name: i.subject.Name, After: i.after, Ready: true, Leader: i.leader(), Connections: map[string]int64{}, Usage: i.usage, Led: i.led,
	}
	for _, r := range i.list() {
		running.Connections[r.name] = r.proxy.Connections()
		running.Replicas = append(running.Replicas, r.name)
		if running.Leader != "" && r.name != running.Leader {
			continue
		}
		if status, _ := r.snapshot(); !status.Readyz {
			running.Ready = false
		}
	}
	return running
}
