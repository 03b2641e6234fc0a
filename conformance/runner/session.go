package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"reconform.dev/reconform/conformance/bench"
	"reconform.dev/reconform/conformance/console"
	"reconform.dev/reconform/conformance/history"
	"reconform.dev/reconform/conformance/profile"
	"reconform.dev/reconform/conformance/report"
	"reconform.dev/reconform/envtest"
)

// Session is a control plane with a bench on it, up and ready.
type Session struct {
	// Config is an administrator's access.
	Config *rest.Config
	// Kubeconfig is a file with the same access, 0600, gone after Close.
	Kubeconfig string
	// Bench that serves the objects.
	Bench *bench.Bench
	// Recorder of all traffic.
	Recorder *history.Recorder
	// ControlPlaneTook is how long the control plane took to be ready.
	ControlPlaneTook time.Duration

	work         string
	controlPlane *envtest.ControlPlane // nil on a cluster of the user's
	history      *os.File
	closers      []func(context.Context) error // run in reverse
}

// SessionOptions say what a session stands on.
type SessionOptions struct {
	Profile      *profile.Profile
	Kubeconfig   string // empty: a control plane of our own
	Dir          string // takes the history and the logs
	WithoutPods  bool
	TimeoutScale float64
	Console      *console.Console
}

// OpenSession brings everything up. Whatever had come up by then is taken down
// again where something fails.
func OpenSession(ctx context.Context, options SessionOptions) (_ *Session, err error) {
	s := &Session{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close(ctx))
		}
	}()
	if s.work, err = os.MkdirTemp("", "reconform-"); err != nil {
		return nil, fmt.Errorf("making a work directory: %w", err)
	}
	s.onClose(func(context.Context) error { return os.RemoveAll(s.work) })
	if err := s.openHistory(options.Dir); err != nil {
		return nil, err
	}
	logs := logDir(options.Dir)
	if err := os.MkdirAll(logs, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder for logs: %w", err)
	}
	if options.Kubeconfig == "" {
		err = s.startControlPlane(ctx, options, logs)
	} else {
		s.Kubeconfig = options.Kubeconfig
		s.Config, err = clientcmd.BuildConfigFromFlags("", options.Kubeconfig)
	}
	if err != nil {
		return nil, fmt.Errorf("reaching the control plane: %w", err)
	}
	s.Config.QPS = -1 // the API server sets the pace
	options.Console.Phase("starting the bench")
	s.Bench, err = bench.Start(ctx, bench.Options{
		Config: s.Config, Profile: options.Profile, Recorder: s.Recorder,
		WorkDir: s.work, LogDir: logs, TimeoutScale: options.TimeoutScale,
	})
	if err != nil {
		return nil, fmt.Errorf("starting the bench: %w", err)
	}
	s.onClose(s.Bench.Stop)
	if options.Kubeconfig != "" {
		s.onClose(s.Bench.Uninstall)
	}
	options.Console.Done("bench ready")
	for _, missing := range s.Bench.Isolation() {
		options.Console.Printf("not isolated on this machine: %s", missing)
	}
	return s, nil
}

// openHistory begins a new history.jsonl.
func (s *Session) openHistory(dir string) error {
	file, err := os.OpenFile(filepath.Join(dir, report.HistoryFile), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("opening the history: %w", err)
	}
	s.Recorder = history.New(file, nil)
	s.onClose(func(context.Context) error { return errors.Join(s.Recorder.Close(), file.Close()) })
	return nil
}

func (s *Session) startControlPlane(ctx context.Context, options SessionOptions, logs string) error {
	options.Console.Phase("starting the control plane")
	began := time.Now()
	work := filepath.Join(s.work, "controlplane")
	// The garbage collector learns of kinds every 30 s: these must be there
	// before it starts.
	definitions, err := bench.CRDs(options.Profile)
	if err != nil {
		return err
	}
	controlPlane, err := envtest.Start(ctx, envtest.Options{WorkDir: work, WithoutPods: options.WithoutPods, CRDs: definitions})
	// Its logs outlive it, also where it failed to start: that is when they matter.
	s.onClose(func(context.Context) error {
		return keepLogs(filepath.Join(work, "logs"), filepath.Join(logs, "controlplane"))
	})
	if err != nil {
		return err
	}
	s.controlPlane = controlPlane
	s.onClose(controlPlane.Stop)
	s.ControlPlaneTook = time.Since(began)
	s.Config = controlPlane.Config()
	s.Kubeconfig = filepath.Join(s.work, "kubeconfig")
	if err := controlPlane.WriteKubeconfig(s.Kubeconfig); err != nil {
		return err
	}
	options.Console.Done("control plane ready")
	return nil
}

// keepLogs moves the logs of the control plane beside the others.
func keepLogs(from, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return fmt.Errorf("replacing the control plane's logs: %w", err)
	}
	if _, err := os.Stat(from); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return fmt.Errorf("keeping the control plane's logs: %w", err)
	}
	return nil
}

// watch blocks until the context ends; broken is called where the control plane
// or the bench ended by itself.
func (s *Session) watch(ctx context.Context, broken func(error)) {
	var dead <-chan struct{}
	if s.controlPlane != nil {
		dead = s.controlPlane.Done()
	}
	select {
	case <-ctx.Done():
	case <-dead:
		broken(fmt.Errorf("the control plane broke: %w", s.controlPlane.Err()))
	case <-s.Bench.Done():
		broken(fmt.Errorf("the bench broke: %w", s.Bench.Err()))
	}
}

// Wait blocks until the context ends, or something breaks.
func (s *Session) Wait(ctx context.Context) error {
	var err error
	s.watch(ctx, func(broken error) { err = broken })
	return err
}

// BinDir holds the control plane's binaries, kubectl among them; empty on a
// cluster of the user's.
func (s *Session) BinDir() string {
	if s.controlPlane == nil {
		return ""
	}
	return s.controlPlane.AssetsDir()
}

func (s *Session) onClose(closer func(context.Context) error) { s.closers = append(s.closers, closer) }

// Close takes everything down, the last thing first. It goes on after an error,
// and when the context has ended.
func (s *Session) Close(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	var errs []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		errs = append(errs, s.closers[i](ctx))
	}
	s.closers = nil
	return errors.Join(errs...)
}

// logDir is where the logs of a session go.
func logDir(dir string) string { return filepath.Join(dir, report.LogDir) }
