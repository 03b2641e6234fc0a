package subject

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/process/sandbox"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/proxy"
)

const (
	// A replica that ends is restarted after a pause. If it ended by itself, the pause
	// doubles, up to the longest. It is short again after the replica ran for a while, or was
	// killed by a Fault.
	firstRestartPause   = 200 * time.Millisecond
	longestRestartPause = 5 * time.Second
	steadyAfter         = 10 * time.Second
	// stopGrace is how long a replica may take to end after SIGTERM when its Subject is
	// deleted. It is not the time within which a sound controller should end.
	stopGrace = 5 * time.Second
)

// replica is one process of a Subject, with the proxy through which it reaches the API
// server. The process is restarted if it ends.
type replica struct {
	env      *Environment
	subject  *v1alpha1.Subject
	name     string
	proxy    *proxy.Proxy
	spec     sandbox.Spec // of the process, if it runs on this machine
	starter  starter
	ports    map[string]int
	reader   *reader
	webhook  *http.Client // asks the webhook that the replica serves; nil if it serves none
	onChange func()

	cancel context.CancelFunc
	done   chan struct{}
	starts chan chan<- error // tells run to start it; the value gets the result of the start
	looked lookedFor         // used by the probe only

	mu      sync.Mutex
	status  v1alpha1.ReplicaStatus
	message string
	// unready says what it answered when it was last asked whether it is ready.
	unready string
	// misplacedSince is since when it is asked at a place that seems to be wrong, or zero.
	misplacedSince time.Time
	current        *life // nil while no process runs
	cutOff         bool  // whether the webhook is cut off from the API server
	// evictions counts the processes that were evicted.
	evictions int
	// pods are the names of the Pods that were made because the process asked for them.
	pods []string

	// wire is held while the proxy is cut off or mended.
	wire        sync.Mutex
	partitioned bool
	hushed      bool // its Pod is paused
}

// startReplica opens the proxy and starts the process. It returns only errors of the bench.
// If the process cannot be started, or ends, the status says so.
func startReplica(
	ctx context.Context, env *Environment, s *v1alpha1.Subject, name string, given tokens, reader *reader, onChange func(),
) (*replica, error) {
	r := &replica{env: env, subject: s, name: name, reader: reader, onChange: onChange, done: make(chan struct{}), starts: make(chan chan<- error)}
	r.status = v1alpha1.ReplicaStatus{Name: name, Phase: v1alpha1.ReplicaStarting}
	var err error
	// The proxy outlives this call and the process: it is closed last.
	r.proxy, err = proxy.Start(context.WithoutCancel(ctx), proxy.Options{
		Authority: env.Authority, Upstream: env.Config, Scope: env.scope(s), User: env.userName(s),
		Scenario: s.Namespace, Subject: s.Name, Replica: name, Recorder: env.Recorder,
		Interceptor: r.interceptor(), OwnNetwork: env.ownNetwork(),
	})
	if err != nil {
		return nil, fmt.Errorf("starting the proxy of %s: %w", name, err)
	}
	if env.Pods != nil {
		err = r.preparePod()
	} else {
		err = r.prepare(given)
	}
	if err != nil {
		_ = r.proxy.Close()
		return nil, err
	}
	ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go r.run(ctx)
	return r, nil
}

// interceptor returns what stands between the replica and the API server. If it does not run
// as a Pod, it gets one when it asks for it.
func (r *replica) interceptor() proxy.Interceptor {
	if r.env.Pods != nil {
		return r.env.Interceptor
	}
	return ownPod{replica: r, then: r.env.Interceptor}
}

// prepare prepares the start of the process on this machine.
func (r *replica) prepare(given tokens) error {
	s := r.subject
	launch := r.env.Profile(s.Namespace)
	var err error
	if r.ports, err = r.env.ports.Find(launch.Spec.Launch.Ports); err != nil {
		return err
	}
	for name, port := range launch.Spec.Launch.FixedPorts {
		r.ports[name] = int(port)
	}
	if given.pod, err = r.proxy.Issue(given.pod); err != nil {
		return err
	}
	if given.kubeconfig, err = r.proxy.Issue(given.kubeconfig); err != nil {
		return err
	}
	with := r.launchData()
	r.spec = sandbox.Spec{
		Name: r.name, Namespace: with.Home, Directory: launch.Directory(), Readable: launch.Readable(), Hidden: r.env.Hidden,
		CA: r.env.Authority.Bundle(), Token: given.pod, KubeconfigToken: given.kubeconfig, HostNames: proxy.ServiceNames(),
		Serve: r.proxy.Serve, Outside: launch.Spec.Launch.Network,
		ScratchDir: filepath.Join(r.env.WorkDir, "subjects", s.Namespace, r.name),
	}
	if with.Kubeconfig, err = r.env.Launcher.Kubeconfig(r.spec.ScratchDir); err != nil {
		return fmt.Errorf("finding the place of the kubeconfig: %w", err)
	}
	if launch.Spec.Launch.Webhook != nil {
		with.Certificates = r.env.Launcher.FilesFolder(r.spec.ScratchDir)
		if r.spec.Files, err = webhookFiles(r.env.Authority); err != nil {
			return err
		}
		r.webhook = webhookClient(r.env.Authority, r.dial)
	}
	if r.spec.Command, err = launch.Command(with); err != nil {
		return err
	}
	if r.spec.Env, err = launch.Env(with); err != nil {
		return err
	}
	if r.spec.Host, r.spec.Port, err = net.SplitHostPort(r.proxy.Address()); err != nil {
		return fmt.Errorf("reading the address of the proxy of %s: %w", r.name, err)
	}
	r.spec.Log, err = r.env.logFile(s.Namespace, r.name)
	r.starter = here{r}
	return err
}

// run keeps the process running until the replica is stopped. A process that was told to
// end stays down until run is told to start it.
func (r *replica) run(ctx context.Context) {
	defer close(r.done)
	pause := firstRestartPause
	var told chan<- error // gets the result of this start
	for {
		started := time.Now()
		again := r.subject.Spec.Restart != v1alpha1.RestartNever
		l, err := r.launch(ctx)
		if told != nil {
			told <- err
			told = nil
		}
		if err != nil {
			r.failed(err)
		} else {
			again = r.follow(ctx, l)
		}
		if l != nil && l.order != nil || time.Since(started) >= steadyAfter {
			pause = firstRestartPause
		}
		var timer <-chan time.Time
		if again {
			timer = time.After(pause)
		}
		select {
		case <-ctx.Done():
			return
		case told = <-r.starts:
			pause = firstRestartPause
			r.change(func(status *v1alpha1.ReplicaStatus) { status.Phase = v1alpha1.ReplicaStarting })
		case <-timer:
			pause = min(2*pause, longestRestartPause)
			r.change(func(status *v1alpha1.ReplicaStatus) {
				status.Restarts++
				status.Phase = v1alpha1.ReplicaStarting
			})
		}
	}
}

// launch starts a process.
func (r *replica) launch(ctx context.Context) (*life, error) {
	l := &life{after: r.env.Recorder.LastSeq(), over: make(chan struct{})}
	var err error
	if l.process, err = r.starter.start(ctx); err != nil {
		return nil, err
	}
	r.mu.Lock()
	r.current = l
	r.mu.Unlock()
	r.event(history.ReplicaStarted, l.process.Describe())
	return l, nil
}

// failed records that the process could not even be started.
func (r *replica) failed(err error) {
	r.event(history.ReplicaStartFailed, err.Error())
	r.mu.Lock()
	r.message = err.Error()
	r.mu.Unlock()
	r.change(func(status *v1alpha1.ReplicaStatus) { status.Phase = v1alpha1.ReplicaExited })
}

// stop ends the process and then the proxy, so that the last requests are recorded.
func (r *replica) stop(ctx context.Context) error {
	r.cancel()
	select {
	case <-r.done:
	case <-ctx.Done():
		return fmt.Errorf("stopping %s: %w", r.name, ctx.Err())
	}
	err := errors.Join(r.starter.remove(ctx), r.removePods(ctx))
	if closed := r.proxy.Close(); closed != nil {
		err = errors.Join(err, fmt.Errorf("closing the proxy of %s: %w", r.name, closed))
	}
	return err
}

// change edits the status and notifies if it changed.
func (r *replica) change(edit func(*v1alpha1.ReplicaStatus)) {
	r.mu.Lock()
	before := r.status
	edit(&r.status)
	changed := before != r.status
	r.mu.Unlock()
	if changed {
		r.onChange()
	}
}

// snapshot returns the status, and says in words why the replica is not ready.
func (r *replica) snapshot() (v1alpha1.ReplicaStatus, string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	status := *r.status.DeepCopy()
	switch {
	case status.Readyz:
		return status, ""
	case r.current != nil && r.current.paused:
		return status, r.name + " is paused"
	case status.Phase == v1alpha1.ReplicaRunning && r.unready != "":
		return status, r.name + " runs, but is not ready: " + r.unready
	case status.Phase == v1alpha1.ReplicaRunning:
		return status, r.name + " runs, but is not ready"
	case r.message != "":
		return status, r.name + ": " + r.message
	default:
		return status, r.name + " is starting"
	}
}

// misplaced says for how long the replica has been asked for its readiness at a place that
// seems to be wrong.
func (r *replica) misplaced() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.misplacedSince.IsZero() {
		return 0
	}
	return time.Since(r.misplacedSince)
}

func (r *replica) event(reason, message string) {
	r.record(history.Event{Reason: reason, Message: message})
}

// record records an event of the replica.
func (r *replica) record(event history.Event) {
	event.Scenario, event.Subject, event.Replica = r.subject.Namespace, r.subject.Name, r.name
	r.env.Recorder.Event(event)
}
