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
	"reconform.dev/reconform/internal/process/capture"
	"reconform.dev/reconform/internal/record/history"
)

// life is one process of a replica, from its start to its end.
type life struct {
	process process
	// after is the last record before it was started.
	after int64
	// over is closed after the end of the process is in the replica's status. exit does not
	// change after that.
	over chan struct{}
	exit v1alpha1.Exit

	// These are guarded by the replica's lock.
	paused bool
	order  *order
}

// order tells a process to end.
type order struct {
	// reason is the reason of the event about the end.
	reason string
	given  time.Time
	// why it must end; empty if the reason says it.
	why string
	// stays is true if the replica is not restarted automatically.
	stays bool
}

// command orders the end of a process, unless it is ordered already.
func (r *replica) command(l *life, o order) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l.order == nil {
		o.given = time.Now()
		l.order = &o
	}
}

// tell tells a process to end.
type tell func(context.Context) error

// signals returns a tell that sends a signal.
func (l *life) signals(signal syscall.Signal) tell {
	return func(context.Context) error { return l.process.Signal(signal) }
}

// end tells a process to end and waits until it has. After the grace period, or when the
// context ends, it kills the process and returns false.
func (r *replica) end(ctx context.Context, l *life, tell tell, grace time.Duration) (bool, error) {
	err := ignoreDone(tell(ctx))
	if err == nil {
		// A paused process sees the signal only when it goes on.
		err = r.setPaused(l, false)
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

// setPaused stops the process of a life and the processes that it started, or lets them go on.
func (r *replica) setPaused(l *life, paused bool) error {
	r.mu.Lock()
	was := l.paused
	r.mu.Unlock()
	signal := syscall.SIGCONT
	if paused {
		signal = syscall.SIGSTOP
	} else if was {
		r.event(history.ReplicaResumed, "") // before its first request after the pause
	}
	switch err := l.process.Signal(signal); {
	case errors.Is(err, errors.ErrUnsupported):
		r.hush(paused) // a Pod cannot be stopped: silence it instead
	case err != nil:
		return ignoreDone(err)
	case paused && !was:
		r.event(history.ReplicaPaused, "")
	}
	r.mu.Lock()
	l.paused = paused
	r.mu.Unlock()
	r.onChange()
	return nil
}

// follow watches one process until it ends, and ends it if the replica is stopped. It
// returns true if the replica must be restarted automatically.
func (r *replica) follow(ctx context.Context, l *life) bool {
	r.change(func(status *v1alpha1.ReplicaStatus) { status.Phase = v1alpha1.ReplicaRunning })
	watching, stopWatching := context.WithCancel(ctx)
	var watched sync.WaitGroup
	watched.Go(func() { r.probe(watching, l.after) })
	watched.Go(func() { r.watchLimits(watching, l) })
	select {
	case <-l.process.Done():
	case <-ctx.Done():
		r.command(l, order{reason: history.ReplicaStopped, stays: true})
		if _, err := r.end(context.WithoutCancel(ctx), l, l.signals(syscall.SIGTERM), stopGrace); err != nil {
			r.event(replicaStopFailed, err.Error())
		}
	}
	stopWatching()
	watched.Wait()
	return r.recordExit(l)
}

// lastLines is how many of the last lines of a process are searched for the cause of its
// end. The stacks of a Go program may be long.
const lastLines = 400

// recordExit records the end of a process. It returns true if the replica must be restarted
// automatically.
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
	if word := capture.LastWord(l.process.LogTail(lastLines)); word != "" {
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

// endedBy returns the event reason for a process that ended without an order.
func endedBy(signal string) string {
	if signal == "SIGKILL" {
		return history.ReplicaLost
	}
	return history.ReplicaCrashed
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
