package subject

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// Disrupt does something to a replica. It returns after that is done and the Subject's
// status shows it. The exit is that of the process that it ended, or nil if it ended none.
// The error is ErrOverdue if the process did not end in time and had to be killed, and
// ErrNotRunning if there is no process.
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

// Crash kills all processes of a replica, as if it had ended by itself. What it has sent
// and the proxy has not yet passed on never reaches the API server.
func (s *Controller) Crash(_ context.Context, namespace, replica string) error {
	r, err := s.replica(namespace, replica)
	if err != nil {
		return err
	}
	l := r.life()
	if l == nil {
		return nil // a request of a process that is gone already
	}
	_, err = r.kill(l, order{reason: replicaCrashOrdered})
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
		return r.kill(l, order{reason: history.ReplicaKilled, stays: true})
	case v1alpha1.ActionTerminate:
		return r.dismiss(ctx, l, l.signals(syscall.SIGTERM), history.ReplicaTerminated, within)
	case v1alpha1.ActionInterrupt:
		return r.dismiss(ctx, l, l.signals(syscall.SIGINT), history.ReplicaInterrupted, within)
	case v1alpha1.ActionEvict:
		return r.evict(ctx, l, within)
	case v1alpha1.ActionCutWebhook:
		return nil, r.cutWebhook(ctx)
	case v1alpha1.ActionRotateToken:
		return nil, r.rotateToken(ctx, l)
	case v1alpha1.ActionPause, v1alpha1.ActionResume:
		return nil, r.setPaused(l, action == v1alpha1.ActionPause)
	default:
		return nil, fmt.Errorf("there is no action %q", action)
	}
}

// kill ends a process with SIGKILL. First it stops the process, so that the process does
// not react to what follows. Then it cuts the replica off, so that nothing that it has sent
// takes effect later.
func (r *replica) kill(l *life, ordered order) (*v1alpha1.Exit, error) {
	r.command(l, ordered)
	if err := ignoreDone(l.process.Signal(syscall.SIGSTOP)); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return nil, fmt.Errorf("stopping %s before it is killed: %w", r.name, err)
	}
	r.cut(ordered.reason)
	defer r.mend()
	if err := l.process.Kill(); err != nil {
		return nil, fmt.Errorf("killing %s: %w", r.name, err)
	}
	<-l.over
	return &l.exit, nil
}

// dismiss asks a process to end, and waits until it has.
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

// restart ends the process, if one runs, and starts another, whether the first ended well
// or not.
func (r *replica) restart(ctx context.Context, within time.Duration) (exit *v1alpha1.Exit, err error) {
	if l := r.life(); l != nil {
		exit, err = r.dismiss(ctx, l, l.signals(syscall.SIGTERM), history.ReplicaTerminated, within)
	}
	return exit, errors.Join(err, r.start(ctx))
}

// evictable is a process that runs on a node.
type evictable interface {
	Evict(context.Context) error
}

// replacement is the time between the end of an evicted process and the start of the one in
// its place: as long as a Pod takes to be scheduled and started on another node.
const replacement = 3 * time.Second

// evict evicts a Pod. Another one follows it. A process of this machine stands for a Pod: it
// gets SIGTERM, and the process that follows comes later, and has another host name. Its
// files are new, as those of each process are.
func (r *replica) evict(ctx context.Context, l *life, within time.Duration) (*v1alpha1.Exit, error) {
	if pod, ok := l.process.(evictable); ok {
		exit, err := r.dismiss(ctx, l, pod.Evict, replicaEvicted, within)
		return exit, errors.Join(err, r.start(ctx))
	}
	exit, err := r.dismiss(ctx, l, l.signals(syscall.SIGTERM), replicaEvicted, within)
	err = errors.Join(err, r.removePods(ctx))
	r.rename()
	select {
	case <-time.After(replacement):
	case <-ctx.Done():
		return exit, errors.Join(err, ctx.Err())
	}
	return exit, errors.Join(err, r.start(ctx))
}

// rename gives the next process another host name, such as subject-0-1, as the Pod that takes
// the place of another one has.
func (r *replica) rename() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.evictions++
	r.spec.Name = fmt.Sprintf("%s-%d", r.name, r.evictions)
}

// start lets the replica start a process. None may run. If the last one has ended by itself, the
// replica may be about to start another anyway: start then waits for that one.
func (r *replica) start(ctx context.Context) error {
	started := make(chan error, 1)
	look := time.NewTicker(startPoll)
	defer look.Stop()
	for {
		select {
		case r.starts <- started:
			return <-started
		case <-look.C:
			if r.life() != nil {
				return nil
			}
		case <-r.done:
			return errors.New("its Subject is being stopped")
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// startPoll is how often start looks whether a process already runs.
const startPoll = 50 * time.Millisecond

// partition cuts the replica off from the API server until heal is called.
func (r *replica) partition() {
	r.isolate("", func() { r.proxy.Cut(string(v1alpha1.ActionPartition)) })
}

// silence drops all packets between the replica and the API server until heal is called.
func (r *replica) silence() { r.isolate("packets are lost without a reset", r.proxy.Silence) }

// hush silences the replica, so that it is neither heard nor answered, or ends that. It
// works for whichever process the replica has by now. It does nothing if the replica is
// partitioned.
func (r *replica) hush(silent bool) {
	r.wire.Lock()
	defer r.wire.Unlock()
	if r.partitioned || r.hushed == silent {
		return
	}
	r.hushed = silent
	if silent {
		r.event(history.ReplicaSilenced, "")
		r.proxy.Silence()
		return
	}
	// A silenced connection would stay silent for as long as its client waits for an answer.
	// Reset it, so that the process notices at once.
	r.proxy.Cut(string(v1alpha1.ActionResume))
	r.proxy.Speak()
	r.proxy.Mend()
	r.event(history.ReplicaHeard, "")
}

// isolate takes the API server away from the replica, unless that is done already.
func (r *replica) isolate(how string, do func()) {
	r.wire.Lock()
	defer r.wire.Unlock()
	if r.partitioned {
		return
	}
	r.partitioned = true
	r.event(history.ReplicaPartitioned, how)
	do()
}

// tokenOverlap is how long the old token of a replica stays valid beside the new one. The
// kubelet replaces a token after four fifths of its lifetime, and the shortest lifetime
// that a Pod may ask for is ten minutes.
const tokenOverlap = 2 * time.Minute

// rotateToken gives the replica a new token. The old one is refused after the overlap, or
// when the process ends.
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
	r.event(history.ReplicaHealed, "")
}

func (r *replica) cut(reason string) {
	r.wire.Lock()
	defer r.wire.Unlock()
	r.proxy.Cut(reason)
}

// mend undoes a cut, but not a partition.
func (r *replica) mend() {
	r.wire.Lock()
	defer r.wire.Unlock()
	if !r.partitioned {
		r.proxy.Mend()
	}
}

// life returns the process that runs, or nil.
func (r *replica) life() *life {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.current
}

// ignoreDone drops the error that says that the process was already gone when a signal was
// sent.
func ignoreDone(err error) error {
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}
