package envtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/envtest/supervisor"
)

const loopback = "127.0.0.1"

// ControlPlane is a running control plane. Several goroutines may call its methods.
type ControlPlane struct {
	opts   Options
	assets string
	using  *os.File // says that the assets are needed; nil if that cannot be said
	// definitions are the CRDs to install.
	definitions []*apiextensionsv1.CustomResourceDefinition
	work        *workDir
	line        *supervisor.Lifeline
	plane       envtest.ControlPlane
	users       *authority
	tokens      map[string]string // of users who may do everything
	admin       *rest.Config
	kubeconfig  []byte
	phases      []Phase
	profiler    *profiler // nil if nothing is profiled
	endStorage  func()    // waits for the end of the storage driver, which ends when done is closed

	mu         sync.Mutex
	components []*component
	stopped    bool
	err        error
	done       chan struct{}
}

// Phase is a part of a control plane's start.
type Phase struct {
	Name string
	Took time.Duration
}

// Start starts a control plane and returns when it is ready: when a Deployment's Pods would
// become ready. ctx limits only the start. The control plane runs until Stop is called or
// this process ends.
//
// The error of a component that did not start contains the last lines of its log.
func Start(ctx context.Context, opts Options) (*ControlPlane, error) {
	const attempts = 3
	opts.setDefaults()
	for attempt := 1; ; attempt++ {
		cp, err := start(ctx, opts)
		switch {
		case err == nil:
			return cp, nil
		case attempt == attempts || !portTaken(err) || ctx.Err() != nil:
			return nil, fmt.Errorf("starting a control plane: %w", err)
		}
		opts.Progress("a port was taken meanwhile: trying again with others")
	}
}

func start(ctx context.Context, opts Options) (_ *ControlPlane, err error) {
	cp := &ControlPlane{opts: opts, done: make(chan struct{}), endStorage: func() {}}
	if err := checkFiles(); err != nil {
		return nil, err
	}
	if cp.assets, err = opts.assets(ctx); err != nil {
		return nil, err
	}
	if cp.definitions, err = opts.definitions(); err != nil {
		return nil, err
	}
	if cp.profiler, err = newProfiler(opts.CPUProfileDir); err != nil {
		return nil, err
	}
	if cp.work, err = openWorkDir(&opts); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			// This does not take long: it only waits until killed processes have ended.
			_ = cp.Stop(context.WithoutCancel(ctx))
		}
	}()
	// Not every file system has locks.
	if cp.using, err = folder.Use(cp.assets); errors.Is(err, folder.ErrHeld) {
		return nil, fmt.Errorf("%w, which removes it", err)
	}
	if cp.line, err = supervisor.NewLifeline(cp.work.path); err != nil {
		return nil, err
	}

	began := time.Now()
	phase := func(name string, do func(context.Context) error) {
		if err != nil {
			return
		}
		opts.Progress(name)
		phaseBegan := time.Now()
		err = do(ctx)
		if cause := context.Cause(ctx); err != nil && cause != nil && !errors.Is(err, cause) {
			// A client's error says that its context ended, but not why.
			err = fmt.Errorf("%w (%w)", cause, err)
		}
		cp.phases = append(cp.phases, Phase{name, time.Since(phaseBegan)})
	}
	phase("starting etcd and "+apiServer, cp.startAPIServer)
	phase("installing custom resource definitions", cp.installCRDs)
	phase("starting the controllers", cp.startControllers)
	cp.phases = append(cp.phases, Phase{"total", time.Since(began)})
	if err != nil {
		return nil, err
	}
	return cp, nil
}

// component prepares a component and watches for its unexpected end.
func (cp *ControlPlane) component(name string) (*component, error) {
	c, err := newComponent(name, cp.assets, cp.work, cp.line)
	if err != nil {
		return nil, err
	}
	cp.mu.Lock()
	defer cp.mu.Unlock()
	cp.components = append(cp.components, c)
	go func() {
		<-c.ended
		cp.mu.Lock()
		defer cp.mu.Unlock()
		if !cp.stopped && cp.err == nil {
			cp.err = c.failed(errEnded)
			close(cp.done)
		}
	}()
	return c, nil
}

// Done returns a channel that is closed when the control plane has been stopped, or is
// broken because a component has ended.
func (cp *ControlPlane) Done() <-chan struct{} { return cp.done }

// Err returns nil while the control plane runs and after it has been stopped. Otherwise
// the error names the component that has ended, with the last lines of its log.
func (cp *ControlPlane) Err() error {
	cp.mu.Lock()
	defer cp.mu.Unlock()
	return cp.err
}

// Stop kills all components and waits until they are gone, or ctx ends. Everything in
// WorkDir except the logs is removed. Stop may be called more than once. If there are
// profiles to write, it takes some seconds longer.
func (cp *ControlPlane) Stop(ctx context.Context) error {
	cp.mu.Lock()
	first := !cp.stopped
	cp.stopped = true
	if first && cp.err == nil {
		close(cp.done)
	}
	components := cp.components
	cp.mu.Unlock()
	if !first {
		return nil
	}

	defer cp.using.Close()
	profiles := cp.profiler.stop(ctx)
	cp.endStorage()
	if cp.line != nil {
		if err := cp.line.Close(); err != nil {
			return fmt.Errorf("stopping the control plane: %w", err)
		}
	}
	var left []string
	for _, c := range components {
		select {
		case <-c.ended:
		case <-ctx.Done():
			left = append(left, c.name)
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("stopping the control plane: %w: still running: %s", context.Cause(ctx), strings.Join(left, ", "))
	}
	if err := errors.Join(profiles, cp.work.close()); err != nil {
		return fmt.Errorf("stopping the control plane: %w", err)
	}
	return nil
}

// Config returns an administrator's access, without rate limits on the client's side. The
// caller may change it.
func (cp *ControlPlane) Config() *rest.Config { return rest.CopyConfig(cp.admin) }

// WriteKubeconfig writes an administrator's access to a kubeconfig file that only this user
// can read.
func (cp *ControlPlane) WriteKubeconfig(path string) error {
	// An existing file keeps its permissions when written to.
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("writing the kubeconfig: %w", err)
	}
	if err := os.WriteFile(path, cp.kubeconfig, 0o600); err != nil {
		return fmt.Errorf("writing the kubeconfig: %w", err)
	}
	return nil
}

// Phases returns the durations of the parts of the start. The last one is the total.
func (cp *ControlPlane) Phases() []Phase { return cp.phases }

// LogDir returns the folder with one log file for each component.
func (cp *ControlPlane) LogDir() string { return cp.work.join("logs") }

// AssetsDir returns the folder that the components were started from. It may contain
// kubectl, too.
func (cp *ControlPlane) AssetsDir() string { return cp.assets }
