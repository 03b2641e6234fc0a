package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/fault"
	"reconform.dev/reconform/internal/bench/objects"
	"reconform.dev/reconform/internal/bench/pods"
	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/process/capture"
	"reconform.dev/reconform/internal/process/sandbox"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/proxy"
)

// Options say which control plane the bench uses and which implementations it serves.
type Options struct {
	// Config is an administrator's access to the control plane.
	Config *rest.Config
	// Profile of the implementation under test.
	Profile *profile.Profile
	// ByScenario has the profiles of other implementations, by the namespaces of the
	// scenarios in which these run. Each has its own roles. Any other object that two of them
	// bring must be the same.
	ByScenario map[string]*profile.Profile
	// Recorder records all traffic and bench events.
	Recorder *history.Recorder
	// WorkDir is the folder for what is needed only while the bench runs: the temporary
	// homes.
	WorkDir string
	// Hidden are folders that subjects must not see, besides those of the user.
	Hidden []string
	// LogDir is the folder for the output of the subjects and of the bench's own
	// controllers.
	LogDir string
	// TimeoutScale multiplies every time limit of the bench.
	TimeoutScale float64
	// Shared is true if the cluster belongs to the user: what exists there stays as it is.
	// The next three fields are only for such a cluster.
	Shared bool
	// InCluster runs the subjects there as Pods, and not on this machine.
	InCluster bool
	// ReplaceCRDs replaces the CRDs there that differ from those of the bench.
	ReplaceCRDs bool
	// ImagePrefix names the registry from which the cluster pulls the image of the Pods.
	ImagePrefix string
	// Bystanders says whether to create objects in the scenarios' namespaces that look like
	// children of the controller, but are not.
	Bystanders bool
	// Launcher of the subjects.
	Launcher *sandbox.Launcher
}

// Bench is a running bench.
type Bench struct {
	options  Options
	mapper   meta.RESTMapper
	client   client.Client
	subjects *subject.Controller
	faults   *fault.Engine
	waiters  map[string]waiter // by kind
	roles    map[*profile.Profile][]profile.Grant
	webhook  *webhook
	keeper   *pods.Keeper // nil if kwok's Stages keep the Pods
	log      *capture.Capped
	lacking  []string // what subjects here lack, and a Pod has: see [Bench.Isolation]

	cancel context.CancelFunc
	done   chan struct{}
	err    error
}

// Start installs the profiles and the bench's own kinds, and returns when the controllers
// that serve them run.
func Start(ctx context.Context, options Options) (_ *Bench, err error) {
	b := &Bench{options: options, done: make(chan struct{})}
	ctx, b.cancel = context.WithCancel(ctx)
	defer func() {
		if err != nil {
			b.cancel()
			err = errors.Join(err, b.webhook.close())
			if b.log != nil {
				err = errors.Join(err, b.log.Close())
			}
		}
	}()
	if !options.Launcher.OwnNetwork() { // otherwise each proxy can listen on port 443, as the API server does in a cluster
		if err := proxy.CheckService(ctx); err != nil {
			b.lacking = append(b.lacking, err.Error()+
				" (run as root, or lower net.ipv4.ip_unprivileged_port_start); KUBERNETES_SERVICE_HOST and _PORT do lead to the API server")
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
	if err := b.keepPods(ctx, clientset, mgr); err != nil {
		return nil, err
	}
	if err := b.makeSubjects(clientset, authority); err != nil {
		return nil, err
	}
	admission := objects.NewAdmission()
	if err := b.serve(mgr, admission); err != nil {
		return nil, err
	}
	if b.webhook, err = startWebhook(ctx, admission, b.subjects, b.podsHandler(), authority); err != nil {
		return nil, err
	}
	b.subjects.Webhook = b.webhook.config
	go func() {
		defer close(b.done)
		b.err = mgr.Start(ctx)
	}()
	if err := b.takeUp(ctx, mgr, clientset); err != nil {
		b.cancel()
		<-b.done
		return nil, errors.Join(err, b.err)
	}
	return b, nil
}

// makeSubjects makes the controller of Subjects, and the engine of the Faults that act on their
// requests.
func (b *Bench) makeSubjects(clientset kubernetes.Interface, authority *proxy.Authority) error {
	surround, err := b.surround()
	if err != nil {
		return err
	}
	options := b.options
	b.subjects = &subject.Controller{
		Environment: subject.Environment{
			Config: options.Config, Clientset: clientset, Recorder: options.Recorder,
			Profile: options.profile, Roles: b.rolesIn, Launcher: options.Launcher, Authority: authority,
			SetUp: b.setUpIn, Surround: surround, WorkDir: options.WorkDir, LogDir: options.LogDir,
			Hidden: options.Hidden, Pods: b.podsOfSubjects(),
		},
	}
	b.faults = fault.NewEngine(fault.Options{Subjects: b.subjects, Crasher: b.subjects, Recorder: options.Recorder})
	b.subjects.Interceptor = b.faults
	return nil
}

// takeUp waits until the controllers work, and makes the API server ask the webhooks.
func (b *Bench) takeUp(ctx context.Context, mgr ctrl.Manager, clientset kubernetes.Interface) error {
	if !mgr.GetCache().WaitForCacheSync(ctx) {
		return errors.Join(errors.New("starting the bench's controllers: their caches did not sync"), ctx.Err())
	}
	if err := b.registerWebhook(ctx, clientset); err != nil {
		return err
	}
	if err := b.registerConversion(); err != nil {
		return err
	}
	return b.registerPods(ctx)
}

// manager creates the manager of the bench's controllers. It logs to a file, because its
// messages are about the bench, not about the subject.
func (b *Bench) manager() (ctrl.Manager, error) {
	scheme := runtime.NewScheme()
	if err := errors.Join(v1alpha1.AddToScheme(scheme), clientgoscheme.AddToScheme(scheme)); err != nil {
		return nil, fmt.Errorf("building the scheme: %w", err)
	}
	var out io.Writer = io.Discard
	if b.options.LogDir != "" {
		file, err := capture.OpenCapped(filepath.Join(b.options.LogDir, "bench.log"), capture.MaxOwn)
		if err != nil {
			return nil, fmt.Errorf("opening the bench's log: %w", err)
		}
		b.log, out = file, file
	}
	mgr, err := ctrl.NewManager(b.options.Config, ctrl.Options{
		Scheme:                 scheme,
		Metrics:                metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
		// There may be many Pods that are not ours.
		Cache: cache.Options{ByObject: map[client.Object]cache.ByObject{&corev1.Pod{}: {Label: pods.Kept()}}},
		Controller: config.Controller{
			// Several benches in one process would use the same names.
			SkipNameValidation: ptr.To(true),
		},
		Logger: logr.FromSlogHandler(slog.NewTextHandler(out, nil)),
	})
	if err != nil {
		return nil, fmt.Errorf("making the bench's manager: %w", err)
	}
	b.client = mgr.GetClient()
	return mgr, nil
}

// Preflight starts the controller once, gives it nothing to do, and stops it when it is
// ready. The error is a *subject.NotStarting if it does not start.
func (b *Bench) Preflight(ctx context.Context) error {
	return b.subjects.Preflight(ctx, b.options.TimeoutScale)
}

// Isolation says what subjects are not isolated from on this machine, and what a Pod has
// that they lack here.
func (b *Bench) Isolation() []string {
	return slices.Concat(b.options.Launcher.Isolation(), b.lacking, b.reached())
}

// reached says what subjects can reach besides the API server, because their profiles ask
// for it.
func (b *Bench) reached() (words []string) {
	for _, p := range b.options.profiles() {
		for _, address := range p.Spec.Launch.Network {
			words = append(words, p.Name+" reaches "+address+", as its profile asks for")
		}
	}
	return words
}

// Cached reads the objects of the bench from its cache. What was written just now may not be
// there yet.
func (b *Bench) Cached() client.Reader { return b.client }

// Done is closed when the bench has ended, by Stop or by itself. Err says why.
func (b *Bench) Done() <-chan struct{} { return b.done }

// Err says why the bench ended by itself. Call it only after Done is closed.
func (b *Bench) Err() error { return b.err }

// Stop ends every subject and then the bench. What the bench installed stays.
func (b *Bench) Stop(ctx context.Context) error {
	err := b.subjects.Stop(ctx)
	b.cancel()
	<-b.done
	err = errors.Join(err, b.webhook.close())
	if b.log != nil {
		err = errors.Join(err, b.log.Close())
	}
	return errors.Join(err, b.err)
}

// TryElection starts the controller once with leader election on. It waits until the
// controller holds its Lease or has had enough time for that.
func (b *Bench) TryElection(ctx context.Context) error {
	return b.subjects.TryElection(ctx, b.options.TimeoutScale)
}
