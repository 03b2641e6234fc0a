package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"k8s.io/client-go/kubernetes"

	"reconform.dev/reconform/internal/bench/ports"
	"reconform.dev/reconform/internal/profile"
)

const (
	// quiet is how long a controller makes no request when its work is done.
	quiet = 3 * time.Second
	// look is the time between two looks at what it does.
	look = 200 * time.Millisecond
)

// errUnfinished says that a controller did not come to an end within the limit.
var errUnfinished = errors.New("not within the limit")

// cost of a phase.
type cost struct {
	took     time.Duration // until the last request of the phase
	requests int
	refused  int // of the requests
	bytes    int64
	cpu      time.Duration
	resident uint64 // at the end
}

// result of one controller with so many objects.
type result struct {
	controller string
	size       int
	ready      int // objects that were served at the end
	unfinished bool
	converge   cost
	restart    cost
	edit       cost // of one object
}

// complete tells whether the controller had served all objects, and was quiet, within the
// limit.
func (r *result) complete() bool { return !r.unfinished }

// session is a controller on a control plane of its own.
type session struct {
	options     *options
	profile     *profile.Profile
	plane       *plane
	wire        *wire
	ports       ports.Pool // for the controller to listen on
	process     *process
	primaries   *primaries
	deployments *deployments
	since       usage // at the beginning of the phase
}

// measure one controller with so many objects.
func measure(ctx context.Context, o *options, p *profile.Profile, size int) (_ *result, err error) {
	plane, err := startPlane(o.assets, p)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer func() {
		cancel() // kube-apiserver waits for its watches
		plane.stop()
	}()
	client, err := kubernetes.NewForConfig(plane.admin)
	if err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	if err := makeNamespace(ctx, client); err != nil {
		return nil, err
	}
	s := &session{options: o, profile: p, plane: plane}
	if s.primaries, err = newPrimaries(p, plane); err != nil {
		return nil, err
	}
	if s.deployments, err = serveDeployments(ctx, client); err != nil {
		return nil, err
	}
	server, err := url.Parse(plane.admin.Host)
	if err != nil {
		return nil, err
	}
	if s.wire, err = newWire(server.Host); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.wire.close(), s.ports.Close()) }()
	if s.process, err = s.start(); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.process.stop()) }()
	return s.phases(ctx, size)
}

// phases: all objects are made, then the controller is started again, then one is changed. A
// controller that is not at rest within the limit is given up.
func (s *session) phases(ctx context.Context, size int) (*result, error) {
	r := &result{controller: s.profile.Name, size: size}
	err := s.measurePhases(ctx, r)
	if errors.Is(err, errUnfinished) {
		r.unfinished, r.ready, err = true, s.deployments.ready(), nil
	}
	return r, err
}

func (s *session) measurePhases(ctx context.Context, r *result) (err error) {
	if r.converge, err = s.phase(ctx, nothing, atOnce); err != nil { // it has started
		return err
	}
	r.converge, err = s.phase(ctx, func(ctx context.Context) error { return s.primaries.create(ctx, r.size) }, func() bool { return s.deployments.ready() == r.size })
	if err != nil {
		return err
	}
	r.ready = s.deployments.ready()
	if r.restart, err = s.phase(ctx, s.startAgain, atOnce); err != nil {
		return fmt.Errorf("restarting: %w", err)
	}
	child, err := s.child()
	if err != nil {
		return err
	}
	r.edit, err = s.phase(ctx, func(ctx context.Context) error { return s.primaries.scale(ctx, 0, 2) },
		func() bool { return s.deployments.replicas(child) == 2 })
	return err
}

func nothing(context.Context) error { return nil }

// atOnce: there is nothing to wait for.
func atOnce() bool { return true }

// child is the name of the Deployment of the first object.
func (s *session) child() (string, error) {
	object, err := s.primaries.object(0)
	if err != nil {
		return "", err
	}
	deployment, _, err := s.profile.ChildNames(name(0), object.Object["spec"].(map[string]any))
	return deployment, err
}

// startAgain ends the controller, and starts it once more.
func (s *session) startAgain(context.Context) error {
	if err := s.process.stop(); err != nil {
		return err
	}
	again, err := s.start()
	if err != nil {
		return err
	}
	s.process, s.since = again, usage{}
	return nil
}

// phase does something, waits until it is done and the controller is quiet, and returns
// what the controller has spent on it meanwhile.
func (s *session) phase(ctx context.Context, do func(context.Context) error, done func() bool) (cost, error) {
	if _, err := s.plane.audit.take(); err != nil {
		return cost{}, err
	}
	bytes := s.wire.bytes.Load()
	var err error
	if s.since, err = s.process.usage(); err != nil {
		return cost{}, err
	}
	began := time.Now()
	if err := do(ctx); err != nil {
		return cost{}, err
	}
	unfinished := s.await(ctx, began, done)
	if unfinished != nil && !errors.Is(unfinished, errUnfinished) {
		return cost{}, unfinished
	}
	made, err := s.plane.audit.take()
	if err != nil {
		return cost{}, err
	}
	now, err := s.process.usage()
	if err != nil {
		return cost{}, err
	}
	return cost{
		took: max(0, made.last.Sub(began)), requests: made.all(), refused: made.refused, bytes: s.wire.bytes.Load() - bytes,
		cpu: now.cpu - s.since.cpu, resident: now.resident,
	}, unfinished
}

// await returns when something is done and the controller is quiet.
func (s *session) await(ctx context.Context, began time.Time, done func() bool) error {
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if err := s.process.failure(); err != nil {
			return err
		}
		if err := s.plane.audit.read(); err != nil {
			return err
		}
		if done() && time.Since(later(began, s.plane.audit.sum.last)) > quiet {
			return nil
		}
		if time.Since(began) > s.options.limit {
			return errUnfinished
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
