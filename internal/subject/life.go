package subject

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/history"
	"reconform.dev/reconform/internal/output"
)

// life is one process of a replica, from its start to its end.
type life struct {
	process process
	// after is the last record before it was started.
	after int64
	// over is closed once its end stands in the replica's status; exit is fixed
	// then.
	over chan struct{}
	exit v1alpha1.Exit

	// These are guarded by the replica's lock.
	paused bool
	order  *order
}

// order says that somebody wants a process to end.
type order struct {
	// reason of the event that tells of the end.
	reason string
	given  time.Time
	// why it must end; empty where the reason says it.
	why string
	// stays is true where the replica is not started again by itself.
	stays bool
}

// command orders the end of a process, unless that is ordered already.
func (r *replica) command(l *life, o order) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l.order == nil {
		o.given = time.Now()
		l.order = &o
	}
}

// tell a process that it is to end.
type tell func(context.Context) error

// signals tells it by a signal.
func (l *life) signals(signal syscall.Signal) tell {
	return func(context.Context) error { return l.process.Signal(signal) }
}

// end tells a process to end and waits until it has; after the grace period, or at the
// end of the context, it is killed. It is false where it had to be.
func (r *replica) end(ctx context.Context, l *life, tell tell, grace time.Duration) (bool, error) {
	err := ignoreDone(tell(ctx))
	if err == nil {
		// A paused process sees the signal once it goes on.
		err = r.pause(l, false)
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	if err == nil {
		select {
		case <-l.process.Done():
			return true, nil
		case <-timer.C:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if killed := l.process.Kill(); err == nil {
		err = killed
	}
	return false, err
}

// pause stops all processes of a life where they are, or lets them go on.
func (r *replica) pause(l *life, paused bool) error {
	signal := syscall.SIGCONT
	if paused {
		signal = syscall.SIGSTOP
	}
	switch err := l.process.Signal(signal); {
	case errors.Is(err, errors.ErrUnsupported):
		r.hush(paused) // what is seen of it stops
	case err != nil:
		return ignoreDone(err)
	}
	r.mu.Lock()
	l.paused = paused
	r.mu.Unlock()
	r.onChange()
	return nil
}

// follow watches one process to its end, which it brings about where the replica
// is stopped. It is true where the replica is to be started again by itself.
func (r *replica) follow(ctx context.Context, l *life) bool {
	r.change(func(status *v1alpha1.ReplicaStatus) { status.Phase = v1alpha1.ReplicaRunning })
	watching, stopWatching := context.WithCancel(ctx)
	var watched sync.WaitGroup
	watched.Go(func() { r.probe(watching) })
	watched.Go(func() { r.watchLimits(watching, l) })
	select {
	case <-l.process.Done():
	case <-ctx.Done():
		r.command(l, order{reason: EventStopped, stays: true})
		if _, err := r.end(context.WithoutCancel(ctx), l, l.signals(syscall.SIGTERM), stopGrace); err != nil {
			r.event(EventStopFailed, err.Error())
		}
	}
	stopWatching()
	watched.Wait()
	return r.recordExit(l)
}

// lastLines of a process are looked through for what it ended by: the stacks of a Go program
// may be long.
const lastLines = 400

// recordExit makes the end of a process known. It is true where the replica is to be
// started again by itself.
func (r *replica) recordExit(l *life) bool {
	ended := time.Now()
	r.mu.Lock()
	given := l.order
	r.current = nil
	r.mu.Unlock()
	code, signal, panicked := l.process.Exit()
	reason, again, took := endedBy(signal), r.subject.Spec.Restart != v1alpha1.RestartNever, time.Duration(0)
	if given != nil {
		reason, took = given.reason, ended.Sub(given.given)
		again = again && !given.stays
	}
	l.exit = v1alpha1.Exit{Code: int32(code), Signal: signal, TookMs: took.Milliseconds(), Panic: panicked}
	message := describeExit(l.exit)
	if given != nil && given.why != "" {
		message += ": " + given.why
	}
	if word := output.LastWord(l.process.LogTail(lastLines)); word != "" {
		message += "; its last words: " + word
	}
	r.record(history.Event{Reason: reason, Message: message, Took: metav1.Duration{Duration: took}})
	r.mu.Lock()
	r.message = message
	r.mu.Unlock()
	r.change(func(status *v1alpha1.ReplicaStatus) {
		status.Phase = v1alpha1.ReplicaExited
		status.Readyz = false
		status.OpenWatches = 0
		status.LastExit = &l.exit
	})
	close(l.over)
	return again
}

// endedBy says what became of a process that nobody had ordered to end.
func endedBy(signal string) string {
	if signal == "SIGKILL" {
		return EventLost
	}
	return EventCrashed
}

func describeExit(exit v1alpha1.Exit) string {
	message := fmt.Sprintf("exited with status %d", exit.Code)
	if exit.Signal != "" {
		message = "ended by " + exit.Signal
	}
	if exit.Panic {
		message += ", after a panic"
	}
	return message
}
