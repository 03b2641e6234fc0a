package subject

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Disrupt does something to a replica, and returns once it is done and the
// Subject's status tells of it. The exit is that of the process that it ended,
// nil where it ended none. Where that had to be killed because it had not ended
// by itself within a time, the error is ErrOverdue; where there is no
// process to do it to, ErrNotRunning.
func (s *Controller) Disrupt(
	ctx context.Context, namespace, replica string, action v1alpha1.DisruptionAction, within time.Duration,
) (*v1alpha1.Exit, error) {
	r, err := s.replica(namespace, replica)
	if err != nil {
		return nil, err
	}
	exit, err := r.disrupt(ctx, action, within)
	if ctx.Err() == nil {
		s.awaitReport(ctx, namespace)
	}
	return exit, err
}

// Crash kills all processes of a replica, as if it had ended by itself. Nothing
// that it has sent and that is not yet on its way to the API server gets there.
func (s *Controller) Crash(_ context.Context, namespace, replica string) error {
	r, err := s.replica(namespace, replica)
	if err != nil {
		return err
	}
	l := r.life()
	if l == nil {
		return nil // a request of one that is gone already
	}
	_, err = r.kill(l, EventCrashOrdered, false)
	return err
}

func (r *replica) disrupt(ctx context.Context, action v1alpha1.DisruptionAction, within time.Duration) (*v1alpha1.Exit, error) {
	switch action {
	case v1alpha1.ActionPartition:
		r.partition()
		return nil, nil
	case v1alpha1.ActionBlackhole:
		r.silence()
		return nil, nil
	case v1alpha1.ActionHeal:
		r.heal()
		r.mendWebhook()
		return nil, nil
	case v1alpha1.ActionRestart:
		return r.restart(ctx, within)
	}
	l := r.life()
	if l == nil {
		_, why := r.snapshot()
		return nil, fmt.Errorf("%w: %s", ErrNotRunning, why)
	}
	switch action {
	case v1alpha1.ActionKill:
		return r.kill(l, EventKilled, true)
	case v1alpha1.ActionTerminate:
		return r.dismiss(ctx, l, l.signals(syscall.SIGTERM), EventTerminated, within)
	case v1alpha1.ActionInterrupt:
		return r.dismiss(ctx, l, l.signals(syscall.SIGINT), EventInterrupted, within)
	case v1alpha1.ActionEvict:
		return r.evict(ctx, l, within)
	case v1alpha1.ActionCutWebhook:
		return nil, r.cutWebhook(ctx)
	case v1alpha1.ActionRotateToken:
		return nil, r.rotateToken(ctx, l)
	case v1alpha1.ActionPause, v1alpha1.ActionResume:
		return nil, r.pause(l, action == v1alpha1.ActionPause)
	default:
		return nil, fmt.Errorf("there is no action %q", action)
	}
}

// kill ends a process with SIGKILL. Before that the replica is cut off, so that
// nothing of what it has sent takes effect later; and before that it is stopped,
// so that it does not end because of the cut.
func (r *replica) kill(l *life, reason string, stays bool) (*v1alpha1.Exit, error) {
	r.command(l, order{reason: reason, stays: stays})
	if err := ignoreDone(l.process.Signal(syscall.SIGSTOP)); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, fmt.Errorf("stopping %s before it is killed: %w", r.name, err)
	}
	r.cut(reason)
	defer r.mend()
	if err := l.process.Kill(); err != nil {
		return nil, fmt.Errorf("killing %s: %w", r.name, err)
	}
	<-l.over
	return &l.exit, nil
}

// dismiss tells a process to end by itself.
func (r *replica) dismiss(ctx context.Context, l *life, tell tell, reason string, within time.Duration) (*v1alpha1.Exit, error) {
	r.command(l, order{reason: reason, stays: true})
	inTime, err := r.end(ctx, l, tell, within)
	<-l.over
	switch {
	case err != nil:
		return &l.exit, fmt.Errorf("ending %s: %w", r.name, err)
	case !inTime:
		return &l.exit, fmt.Errorf("%w: %s had not ended %s after it was told to", ErrOverdue, r.name, within)
	}
	return &l.exit, nil
}

// restart ends a process, where one runs, and starts another, however the first ended.
func (r *replica) restart(ctx context.Context, within time.Duration) (exit *v1alpha1.Exit, err error) {
	if l := r.life(); l != nil {
		exit, err = r.dismiss(ctx, l, l.signals(syscall.SIGTERM), EventTerminated, within)
	}
	return exit, errors.Join(err, r.start(ctx))
}

// evictable is what runs on a node.
type evictable interface {
	Evict(context.Context) error
}

// evict a Pod, which another one follows.
func (r *replica) evict(ctx context.Context, l *life, within time.Duration) (*v1alpha1.Exit, error) {
	pod, ok := l.process.(evictable)
	if !ok {
		return nil, fmt.Errorf("evicting %s: only a Pod can be evicted, and it is %s: %w", r.name, l.process.Describe(), errors.ErrUnsupported)
	}
	exit, err := r.dismiss(ctx, l, pod.Evict, EventEvicted, within)
	return exit, errors.Join(err, r.start(ctx))
}

// start has the replica start a process. None runs.
func (r *replica) start(ctx context.Context) error {
	started := make(chan error, 1)
	select {
	case r.starts <- started:
	case <-r.done:
		return errors.New("its Subject is being stopped")
	case <-ctx.Done():
		return ctx.Err()
	}
	return <-started
}

// partition cuts the replica off from the API server until heal.
func (r *replica) partition() {
	r.isolate("", func() { r.proxy.Cut(string(v1alpha1.ActionPartition)) })
}

// silence swallows all packets between the replica and the API server until heal.
func (r *replica) silence() { r.isolate("packets are lost without a reset", r.proxy.Silence) }

// hush has the replica neither heard nor answered, or lets it go on, whichever process it
// has by now. It changes nothing where it is partitioned.
func (r *replica) hush(silent bool) {
	r.wire.Lock()
	defer r.wire.Unlock()
	if r.partitioned || r.hushed == silent {
		return
	}
	r.hushed = silent
	if silent {
		r.event(EventSilenced, "")
		r.proxy.Silence()
		return
	}
	// What fell silent would stay so for as long as a client waits for an answer. It is
	// reset, so that the process notices at once.
	r.proxy.Cut(string(v1alpha1.ActionResume))
	r.proxy.Speak()
	r.proxy.Mend()
	r.event(EventHeard, "")
}

// isolate takes the API server away from the replica, where it has it.
func (r *replica) isolate(how string, do func()) {
	r.wire.Lock()
	defer r.wire.Unlock()
	if r.partitioned {
		return
	}
	r.partitioned = true
	r.event(EventPartitioned, how)
	do()
}

// tokenOverlap is how long the former token of a replica is good beside the new one. The
// kubelet replaces a token when four fifths of its time are over, and the shortest time
// that a Pod may ask for is ten minutes.
const tokenOverlap = 2 * time.Minute

// rotateToken gives the replica another token, and has the old one refused, after the
// overlap or when its process ends.
func (r *replica) rotateToken(ctx context.Context, l *life) error {
	token, err := r.env.newToken(ctx, r.subject)
	if err != nil {
		return err
	}
	if token, err = r.proxy.Issue(token); err != nil {
		return err
	}
	if err := l.process.ReplaceToken(token); err != nil {
		return err
	}
	r.mu.Lock()
	former := r.spec.Token
	r.spec.Token = token
	r.mu.Unlock()
	select {
	case <-time.After(tokenOverlap):
	case <-l.over:
	case <-ctx.Done():
		return ctx.Err()
	}
	r.proxy.Revoke(former)
	return nil
}

func (r *replica) heal() {
	r.wire.Lock()
	defer r.wire.Unlock()
	if !r.partitioned {
		return
	}
	r.partitioned, r.hushed = false, false
	r.proxy.Mend()
	r.proxy.Speak()
	r.event(EventHealed, "")
}

func (r *replica) cut(reason string) {
	r.wire.Lock()
	defer r.wire.Unlock()
	r.proxy.Cut(reason)
}

// mend undoes cut, but not a partition.
func (r *replica) mend() {
	r.wire.Lock()
	defer r.wire.Unlock()
	if !r.partitioned {
		r.proxy.Mend()
	}
}

// life is the process that runs; nil while none does.
func (r *replica) life() *life {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.current
}

// ignoreDone drops the error that the process which a signal was for has ended.
func ignoreDone(err error) error {
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}
