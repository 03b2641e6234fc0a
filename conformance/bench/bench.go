package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/conformance/disruption"
	"reconform.dev/reconform/conformance/fault"
	"reconform.dev/reconform/conformance/history"
	"reconform.dev/reconform/conformance/load"
	"reconform.dev/reconform/conformance/observation"
	"reconform.dev/reconform/conformance/profile"
	"reconform.dev/reconform/conformance/proxy"
	"reconform.dev/reconform/conformance/snapshot"
	"reconform.dev/reconform/conformance/subject"
	"reconform.dev/reconform/conformance/traffic"
)

// Options say what the bench stands on and whom it serves.
type Options struct {
	// Config is an administrator's access to the control plane.
	Config *rest.Config
	// Profile of the implementation under test.
	Profile *profile.Profile
	// ByScenario has the profiles of other implementations, by the namespaces of
	// the scenarios in which these run. They bring roles of their own; any other
	// object that two of them bring must be the same.
	ByScenario map[string]*profile.Profile
	// Recorder takes all traffic and bench events.
	Recorder *history.Recorder
	// WorkDir takes what lives only as long as the bench: scratch homes.
	WorkDir string
	// LogDir takes the output of the subjects and of the bench's own controllers.
	LogDir string
	// TimeoutScale multiplies every time limit of the bench's.
	TimeoutScale float64
	// Launcher of the subjects; nil: one that isolates them as well as this machine
	// allows.
	Launcher *subject.Launcher
}

// Bench is a running bench.
type Bench struct {
	options  Options
	mapper   meta.RESTMapper
	client   client.Client
	launcher *subject.Launcher
	subjects *subjects
	roles    map[*profile.Profile]roles
	log      *os.File

	cancel context.CancelFunc
	done   chan struct{}
	err    error
}

// Start installs the profiles and the bench's own kinds, and returns once the
// controllers that serve them run.
func Start(ctx context.Context, options Options) (_ *Bench, err error) {
	b := &Bench{options: options, done: make(chan struct{})}
	ctx, b.cancel = context.WithCancel(ctx)
	defer func() {
		if err != nil {
			b.cancel()
			if b.log != nil {
				err = errors.Join(err, b.log.Close())
			}
		}
	}()
	if b.launcher = options.Launcher; b.launcher == nil {
		if b.launcher, err = subject.NewLauncher(ctx); err != nil {
			return nil, fmt.Errorf("preparing to launch subjects: %w", err)
		}
	}
	authority, err := proxy.NewAuthority()
	if err != nil {
		return nil, fmt.Errorf("preparing the proxies: %w", err)
	}
	if err := b.install(ctx); err != nil {
		return nil, err
	}
	mgr, err := b.manager()
	if err != nil {
		return nil, err
	}
	clientset, err := kubernetes.NewForConfig(options.Config)
	if err != nil {
		return nil, fmt.Errorf("making the bench's client: %w", err)
	}
	b.subjects = &subjects{
		environment: &environment{
			options: options, launcher: b.launcher, authority: authority, clientset: clientset, roles: b.roles,
		},
		client: b.client,
	}
	b.subjects.faults = fault.NewEngine(fault.Options{Subjects: b.subjects, Crasher: b.subjects, Recorder: options.Recorder})
	if err := b.serve(mgr); err != nil {
		return nil, err
	}
	go func() {
		defer close(b.done)
		b.err = mgr.Start(ctx)
	}()
	if !mgr.GetCache().WaitForCacheSync(ctx) {
		b.cancel()
		<-b.done
		return nil, errors.Join(errors.New("starting the bench's controllers: their caches did not sync"), b.err, ctx.Err())
	}
	return b, nil
}

// manager makes the manager of the bench's controllers. It logs to a file: what
// it has to say is about the bench, not about the subject.
func (b *Bench) manager() (ctrl.Manager, error) {
	scheme := runtime.NewScheme()
	if err := errors.Join(v1alpha1.AddToScheme(scheme), clientgoscheme.AddToScheme(scheme)); err != nil {
		return nil, fmt.Errorf("building the scheme: %w", err)
	}
	var out io.Writer = io.Discard
	if b.options.LogDir != "" {
		file, err := os.OpenFile(filepath.Join(b.options.LogDir, "bench.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, fmt.Errorf("opening the bench's log: %w", err)
		}
		b.log, out = file, file
	}
	mgr, err := ctrl.NewManager(b.options.Config, ctrl.Options{
		Scheme:                 scheme,
		Metrics:                metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
		// Several benches in one process do not meet.
		Controller: config.Controller{SkipNameValidation: ptr.To(true)},
		Logger:     logr.FromSlogHandler(slog.NewTextHandler(out, nil)),
	})
	if err != nil {
		return nil, fmt.Errorf("making the bench's manager: %w", err)
	}
	b.client = mgr.GetClient()
	return mgr, nil
}

// serve registers the controllers, one for each kind.
func (b *Bench) serve(mgr ctrl.Manager) error {
	if err := b.subjects.SetupWithManager(mgr); err != nil {
		return fmt.Errorf("serving subjects: %w", err)
	}
	traffic := &traffic.Controller{
		Client: b.client, Recorder: b.options.Recorder, Subjects: b.subjects,
		Claims: func(namespace string) v1alpha1.Claims { return b.options.profile(namespace).Spec.Claims },
	}
	if err := traffic.SetupWithManager(mgr); err != nil {
		return fmt.Errorf("serving traffic: %w", err)
	}
	faults := &fault.Controller{
		Client: b.client, Mapper: mgr.GetRESTMapper(), Subjects: b.subjects, Engine: b.subjects.faults,
	}
	if err := faults.SetupWithManager(mgr); err != nil {
		return fmt.Errorf("serving faults: %w", err)
	}
	disruptions := &disruption.Controller{
		Client: b.client, Reader: mgr.GetAPIReader(), Recorder: b.options.Recorder, Processes: b.subjects,
		Within: func(namespace string) time.Duration {
			grace := b.options.profile(namespace).Spec.Claims.Times.ShutdownGrace.Duration
			return disruption.Within(grace, b.options.TimeoutScale)
		},
	}
	if err := disruptions.SetupWithManager(mgr); err != nil {
		return fmt.Errorf("serving disruptions: %w", err)
	}
	watches, err := dynamic.NewForConfig(b.options.Config)
	if err != nil {
		return fmt.Errorf("making the client that observes: %w", err)
	}
	observation := &observation.Controller{Client: b.client, Dynamic: watches, Mapper: mgr.GetRESTMapper(), Replicas: b.subjects}
	if err := observation.SetupWithManager(mgr); err != nil {
		return fmt.Errorf("serving observations: %w", err)
	}
	snapshot := &snapshot.Controller{Client: b.client, Dynamic: watches, Mapper: mgr.GetRESTMapper(), Profile: b.options.profile}
	if err := snapshot.SetupWithManager(mgr); err != nil {
		return fmt.Errorf("serving snapshots: %w", err)
	}
	loads, err := load.NewClient(b.options.Config)
	if err != nil {
		return fmt.Errorf("making the client for loads: %w", err)
	}
	load := &load.Controller{Client: b.client, Dynamic: loads, Mapper: mgr.GetRESTMapper()}
	if err := load.SetupWithManager(mgr); err != nil {
		return fmt.Errorf("serving loads: %w", err)
	}
	return nil
}

// Isolation names what subjects cannot be shut off from on this machine.
func (b *Bench) Isolation() []string { return b.launcher.Isolation() }

// Done is closed when the bench has ended, by Stop or by itself; Err says why.
func (b *Bench) Done() <-chan struct{} { return b.done }

// Err is why the bench ended by itself. Call it once Done is closed.
func (b *Bench) Err() error { return b.err }

// stopTimeout bounds how long the bench waits for a subject to end.
const stopTimeout = 20 * time.Second

// Stop ends every subject and then the bench. What it had installed stays.
func (b *Bench) Stop(ctx context.Context) error {
	err := errors.Join(b.subjects.stopAll(ctx), b.subjects.ports.close())
	b.cancel()
	<-b.done
	if b.log != nil {
		err = errors.Join(err, b.log.Close())
	}
	return errors.Join(err, b.err)
}
