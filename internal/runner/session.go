package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"

	"reconform.dev/reconform/envtest"
	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/bench"
	"reconform.dev/reconform/internal/bench/cluster"
	"reconform.dev/reconform/internal/process/sandbox"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/report"
)

// Session is a running control plane with a running bench.
type Session struct {
	// Config is an administrator's access.
	Config *rest.Config
	// Kubeconfig is a file with the same access. It has mode 0600, and Close removes it.
	Kubeconfig string
	// Bench that serves the objects.
	Bench *bench.Bench
	// Recorder of all traffic.
	Recorder *history.Recorder
	// ControlPlaneTook is how long the control plane took to become ready.
	ControlPlaneTook time.Duration

	work         string
	logs         string                        // of the subjects
	keptLogs     string                        // where the control plane's logs are kept
	controlPlane *envtest.ControlPlane         // nil on the user's cluster, and on one that was up before
	standing     *Standing                     // nil if no other process keeps the control plane up
	recording    context.Context               // ends when the history can no longer be written
	closers      []func(context.Context) error // run in reverse
}

// SessionOptions say what a session consists of.
type SessionOptions struct {
	// Profile of the implementation under test. If Scenarios has several, it is one of
	// theirs.
	Profile      *profile.Profile
	Kubeconfig   string    // empty: a control plane of our own
	Kubernetes   string    // version of our own control plane; empty: as envtest has by default
	Context      string    // of Kubeconfig; empty: the current one
	Standing     *Standing // a control plane of our own that is already up; nil: start a new one
	Beside       *Session  // record to the history of this session, which is closed later; nil: begin a new one
	Dir          string    // for the history and the logs
	WithoutPods  bool
	TimeoutScale float64
	Launcher     *sandbox.Launcher // nil: isolate as well as this machine allows
	Hidden       []string          // folders that subjects must not see, besides the bench's
	Console      *report.Console
	// Scenarios are the namespaces of the scenarios, each with the profile of the
	// implementation that is judged there. On the user's cluster none of them may exist
	// before, and they are removed at the end, unless Keep is set.
	Scenarios map[string]*profile.Profile
	Keep      bool
	// ReplaceCRDs replaces definitions on the user's cluster that differ.
	ReplaceCRDs bool
	// InCluster runs the controllers as Pods of the user's cluster.
	InCluster bool
	// Bystanders says whether to create objects that look like the controller's children.
	Bystanders bool
	// ImagePrefix names a registry: see Options.
	ImagePrefix string
	// Unconfined, if there is no Launcher, runs subjects as root: see Options.
	Unconfined bool
	// CPUProfileDir is the folder for CPU profiles; empty means that none are made.
	CPUProfileDir string
}

// namespaces returns the namespaces of the scenarios, in order.
func (o *SessionOptions) namespaces() []string { return slices.Sorted(maps.Keys(o.Scenarios)) }

// profiles returns the profiles of all implementations.
func (o *SessionOptions) profiles() []*profile.Profile {
	all := []*profile.Profile{o.Profile}
	for _, namespace := range o.namespaces() {
		if p := o.Scenarios[namespace]; !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}

// OpenSession starts everything. If something fails, it stops what it has started.
func OpenSession(ctx context.Context, options SessionOptions) (_ *Session, err error) {
	s := &Session{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close(ctx))
		}
	}()
	if options.Launcher == nil {
		if options.Launcher, err = newLauncher(ctx, options.Unconfined); err != nil {
			return nil, err
		}
	}
	work, err := folder.Temporary("")
	if err != nil {
		return nil, err
	}
	s.work = work.Path()
	s.onClose(func(context.Context) error { return work.Remove() })
	if options.Beside != nil {
		s.Recorder, s.recording = options.Beside.Recorder, options.Beside.recording
	} else if err := s.openHistory(options.Dir); err != nil {
		return nil, err
	}
	if err := s.startCPUProfile(options.CPUProfileDir); err != nil {
		return nil, err
	}
	if s.logs, err = makeLogDir(options.Dir); err != nil {
		return nil, err
	}
	if err := s.choose(ctx, options); err != nil {
		return nil, err
	}
	if err := s.takeCluster(ctx, options); err != nil {
		return nil, err
	}
	options.Console.Phase("starting the bench")
	s.Bench, err = bench.Start(s.whileUp(ctx), bench.Options{
		Config: s.Config, Profile: options.Profile, ByScenario: options.Scenarios, Recorder: s.Recorder,
		WorkDir: s.work, LogDir: s.logs, Hidden: append([]string{s.work, filepath.Dir(s.logs)}, options.Hidden...),
		TimeoutScale: options.TimeoutScale, Launcher: options.Launcher,
		Shared: options.Kubeconfig != "", ReplaceCRDs: options.ReplaceCRDs, ImagePrefix: options.ImagePrefix, InCluster: options.InCluster,
		Bystanders: options.Bystanders,
	})
	if err != nil {
		if broken := s.brokenControlPlane(); broken != nil {
			return nil, broken
		}
		return nil, fmt.Errorf("starting the bench: %w", err)
	}
	// If the bench does not stop in time, the verdicts are valid all the same.
	s.onClose(func(ctx context.Context) error {
		if err := s.Bench.Stop(ctx); err != nil {
			options.Console.Warn("stopping the bench: %v", err)
		}
		return nil
	})
	s.profileMemory(options.CPUProfileDir)
	options.Console.Done("bench ready")
	for _, missing := range s.Bench.Isolation() {
		options.Console.Printf("not isolated on this machine: %s", missing)
	}
	return s, nil
}

// choose finds the kubeconfig of the user's cluster or of a control plane that is up. If
// there is neither, it starts a control plane.
func (s *Session) choose(ctx context.Context, options SessionOptions) error {
	switch {
	case options.Kubeconfig == "" && options.Standing != nil:
		s.standing, s.Kubeconfig = options.Standing, options.Standing.Kubeconfig
	case options.Kubeconfig == "":
		return s.startControlPlane(ctx, options, s.logs)
	case options.Context != "": // kubectl and Chainsaw use the current context
		s.Kubeconfig = filepath.Join(s.work, "kubeconfig")
		return cluster.WriteContext(options.Kubeconfig, options.Context, s.Kubeconfig)
	default:
		s.Kubeconfig = options.Kubeconfig
	}
	return nil
}

// makeLogDir makes the folder for logs below the folder of a session, and returns its absolute
// path.
func makeLogDir(dir string) (string, error) {
	logs, err := filepath.Abs(logDir(dir))
	if err != nil {
		return "", fmt.Errorf("finding the folder for logs: %w", err)
	}
	if err := os.MkdirAll(logs, 0o700); err != nil {
		return "", fmt.Errorf("making the folder for logs: %w", err)
	}
	return logs, nil
}

// openHistory begins a new history.jsonl.
func (s *Session) openHistory(dir string) error {
	file, err := os.OpenFile(filepath.Join(dir, report.HistoryFile), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("opening the history: %w", err)
	}
	recording, failed := context.WithCancelCause(context.Background())
	s.recording = recording
	s.Recorder = history.New(file, failed)
	s.onClose(func(context.Context) error {
		defer failed(nil)
		return errors.Join(s.Recorder.Close(), file.Close())
	})
	return nil
}

// Wait blocks until the context ends, or until a part of the session breaks. It returns the
// error of the part that has broken, or nil.
func (s *Session) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
	case <-s.controlPlaneDone():
	case <-s.Bench.Done():
	case <-s.recording.Done():
	}
	return s.broken()
}

// broken returns the error of the part that has broken, or nil.
func (s *Session) broken() error {
	if err := s.brokenControlPlane(); err != nil {
		return err
	}
	select {
	case <-s.Bench.Done():
		// If there is no error, it was told to end, by Ctrl+C for example.
		if err := s.Bench.Err(); err != nil {
			return fmt.Errorf("the bench broke: %w", err)
		}
		return nil
	case <-s.recording.Done():
		return context.Cause(s.recording)
	default:
		return nil
	}
}

// brokenControlPlane returns the error of a control plane that has ended.
func (s *Session) brokenControlPlane() error {
	select {
	case <-s.controlPlaneDone():
		if s.standing != nil {
			return errors.New("the control plane has ended")
		}
		return fmt.Errorf("the control plane broke: %w", s.keptLog(s.controlPlane.Err()))
	default:
		return nil
	}
}

// keptLog makes an error name the log that is kept, not the one that is removed with the
// work folder.
func (s *Session) keptLog(err error) error {
	if err == nil {
		return nil
	}
	return &relocated{err, strings.NewReplacer(s.controlPlaneLogs(), s.keptLogs)}
}

// relocated is an error whose text names files that were moved.
type relocated struct {
	error
	moved *strings.Replacer
}

func (e *relocated) Error() string { return e.moved.Replace(e.error.Error()) }
func (e *relocated) Unwrap() error { return e.error }

// whileUp returns a context that ends with the control plane, because nothing answers after
// that.
func (s *Session) whileUp(ctx context.Context) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		select {
		case <-s.controlPlaneDone():
		case <-ctx.Done():
		}
	}()
	return ctx
}

// controlPlaneDone returns a channel that is never closed if the control plane is not ours.
func (s *Session) controlPlaneDone() <-chan struct{} {
	if s.standing != nil {
		return s.standing.Done
	}
	if s.controlPlane == nil {
		return nil
	}
	return s.controlPlane.Done()
}

func (s *Session) onClose(closer func(context.Context) error) { s.closers = append(s.closers, closer) }

// Close stops everything, in reverse order. It continues after an error, and also if the
// context has ended.
func (s *Session) Close(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	var errs []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		errs = append(errs, s.closers[i](ctx))
	}
	s.closers = nil
	return errors.Join(errs...)
}

// logDir returns the folder for the logs of a session.
func logDir(dir string) string { return filepath.Join(dir, report.LogDir) }

// Log returns the file with the output of a replica.
func (s *Session) Log(namespace, replica string) string {
	return filepath.Join(s.logs, namespace, replica+".log")
}

// KubernetesVersion returns the version of the API server, or "unknown".
func (s *Session) KubernetesVersion() string {
	client, err := discovery.NewDiscoveryClientForConfig(s.Config)
	if err != nil {
		return "unknown"
	}
	info, err := client.ServerVersion()
	if err != nil {
		return "unknown"
	}
	return info.GitVersion
}
