package subject

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// finalizer keeps a Subject until its last process is gone.
const finalizer = "reconform.dev/processes"

// Controller serves Subjects: it starts and stops what they ask for.
type Controller struct {
	// Client reads and writes Subjects.
	Client client.Client
	// Environment that they share.
	Environment

	changed chan event.TypedGenericEvent[*v1alpha1.Subject]
	ended   chan struct{}

	mu        sync.Mutex
	instances map[types.NamespacedName]*instance
}

// SetupWithManager registers the controller.
func (s *Controller) SetupWithManager(mgr ctrl.Manager) error {
	s.instances = map[types.NamespacedName]*instance{}
	s.changed = make(chan event.TypedGenericEvent[*v1alpha1.Subject], 1024)
	s.ended = make(chan struct{})
	return ctrl.NewControllerManagedBy(mgr).
		Named("subject").
		For(&v1alpha1.Subject{}).
		WatchesRawSource(source.Channel(s.changed, &handler.TypedEnqueueRequestForObject[*v1alpha1.Subject]{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: 16}).
		Complete(s)
}

// Reconcile starts a new Subject, stops one that is deleted, and keeps the
// status current in between.
func (s *Controller) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	subject := &v1alpha1.Subject{}
	if err := s.Client.Get(ctx, req.NamespacedName, subject); err != nil {
		if client.IgnoreNotFound(err) == nil {
			return ctrl.Result{}, s.stop(ctx, req.NamespacedName)
		}
		return ctrl.Result{}, err
	}
	if !subject.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, s.end(ctx, subject)
	}
	if !controllerutil.ContainsFinalizer(subject, finalizer) {
		before := subject.DeepCopy()
		controllerutil.AddFinalizer(subject, finalizer)
		if err := s.Client.Patch(ctx, subject, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
			return ctrl.Result{}, client.IgnoreNotFound(err)
		}
	}
	present, err := s.serve(ctx, subject)
	if err != nil {
		status := v1alpha1.SubjectStatus{ObservedGeneration: subject.Generation}
		if present := s.instance(req.NamespacedName); present != nil {
			status = present.status(subject.Generation) // it goes on as it was
		}
		status.Message = err.Error()
		return ctrl.Result{}, errors.Join(err, s.report(ctx, subject, status))
	}
	seen := present.changes.Load()
	if err := s.report(ctx, subject, present.status(subject.Generation)); apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: recheck}, nil // the cache is behind our own last write
	} else if err != nil {
		return ctrl.Result{}, err
	}
	present.reported.Store(seen)
	if subject.Spec.LeaderElection {
		return ctrl.Result{RequeueAfter: leaderRecheck}, nil
	}
	return ctrl.Result{}, nil
}

const (
	// recheck is how soon a status that could not be written is tried again.
	recheck = 50 * time.Millisecond
	// leaderRecheck is how soon a new leader shows in the status: traffic triggers no
	// reconcile.
	leaderRecheck = 200 * time.Millisecond
	// reportTimeout bounds how long somebody waits for a status to be written.
	reportTimeout = 2 * time.Second
)

// awaitReport waits until all that has become of the Subject in a namespace by
// now stands in its status, so that whoever reads it reads no older one.
func (s *Controller) awaitReport(ctx context.Context, namespace string) {
	present := s.in(namespace)
	if present == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	tick := time.NewTicker(recheck / 10)
	defer tick.Stop()
	for changes := present.changes.Load(); present.reported.Load() < changes; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// serve starts the Subject, or brings it to the number of replicas that it
// asks for.
func (s *Controller) serve(ctx context.Context, subject *v1alpha1.Subject) (*instance, error) {
	for _, namespace := range subject.Spec.Namespaces {
		if !strings.HasPrefix(namespace, subject.Namespace+"-") {
			return nil, fmt.Errorf(
				"spec.namespaces: %q is not of this scenario: its name must start with %q", namespace, subject.Namespace+"-")
		}
	}
	key := client.ObjectKeyFromObject(subject)
	present := s.instance(key)
	if present != nil && present.subject.UID != subject.UID {
		if err := s.stop(ctx, key); err != nil {
			return nil, err
		}
		present = nil
	}
	if subject.Spec.Replicas > 1 {
		if err := s.Launcher.CheckReplicas(); err != nil {
			return nil, fmt.Errorf("spec.replicas: %d is too many: %w", subject.Spec.Replicas, err)
		}
	}
	if present == nil {
		if s.ending() {
			return nil, errBenchEnds
		}
		started, err := startInstance(ctx, &s.Environment, subject, func() { s.notify(key) })
		if err != nil {
			return nil, fmt.Errorf("starting the subject: %w", err)
		}
		if !s.keep(key, started) {
			return nil, errors.Join(errBenchEnds, started.stop(ctx))
		}
		present = started
	}
	if err := present.scale(ctx, subject.Spec.Replicas); err != nil {
		return nil, fmt.Errorf("scaling the subject: %w", err)
	}
	return present, nil
}

// report writes the status where it differs.
func (s *Controller) report(ctx context.Context, subject *v1alpha1.Subject, status v1alpha1.SubjectStatus) error {
	if equality.Semantic.DeepEqual(subject.Status, status) {
		return nil
	}
	subject.Status = status
	if err := s.Client.Status().Update(ctx, subject); err != nil {
		return client.IgnoreNotFound(fmt.Errorf("writing the status: %w", err))
	}
	return nil
}

// end stops a Subject that is being deleted and lets it go.
func (s *Controller) end(ctx context.Context, subject *v1alpha1.Subject) error {
	if !controllerutil.ContainsFinalizer(subject, finalizer) {
		return nil
	}
	if err := s.stop(ctx, client.ObjectKeyFromObject(subject)); err != nil {
		return err
	}
	if err := s.unauthorize(ctx, subject); err != nil {
		return err
	}
	before := subject.DeepCopy()
	controllerutil.RemoveFinalizer(subject, finalizer)
	return client.IgnoreNotFound(s.Client.Patch(ctx, subject, client.MergeFrom(before)))
}

// stop ends the processes of a Subject, where there are any.
func (s *Controller) stop(ctx context.Context, key types.NamespacedName) error {
	s.mu.Lock()
	present := s.instances[key]
	delete(s.instances, key)
	s.mu.Unlock()
	if present == nil {
		return nil
	}
	return present.stop(ctx)
}

// Stop ends every Subject, side by side. No other is started afterwards.
func (s *Controller) Stop(ctx context.Context) error {
	s.mu.Lock()
	instances := s.instances
	s.instances = map[types.NamespacedName]*instance{}
	close(s.ended)
	s.mu.Unlock()
	var (
		stopped sync.WaitGroup
		mu      sync.Mutex
		errs    []error
	)
	for _, i := range instances {
		stopped.Go(func() {
			if err := i.stop(ctx); err != nil {
				mu.Lock()
				errs = append(errs, err)
				mu.Unlock()
			}
		})
	}
	stopped.Wait()
	return errors.Join(append(errs, s.ports.close())...)
}

var errBenchEnds = errors.New("the bench is ending")

// ending is true once Stop was called.
func (s *Controller) ending() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// keep takes a started instance in, unless the bench has ended meanwhile.
func (s *Controller) keep(key types.NamespacedName, started *instance) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending() {
		return false
	}
	s.instances[key] = started
	return true
}

func (s *Controller) instance(key types.NamespacedName) *instance {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.instances[key]
}

// notify has the Subject reconciled again, because something of it changed.
func (s *Controller) notify(key types.NamespacedName) {
	subject := &v1alpha1.Subject{}
	subject.Namespace, subject.Name = key.Namespace, key.Name
	select {
	case s.changed <- event.TypedGenericEvent[*v1alpha1.Subject]{Object: subject}:
	case <-s.ended:
	}
}

// Running is the Subject in the namespace, nil where there is none.
func (s *Controller) Running(namespace string) *Running {
	if present := s.in(namespace); present != nil {
		return present.running()
	}
	return nil
}

// in is the Subject's instance in a namespace; nil where there is none.
func (s *Controller) in(namespace string) *instance {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, i := range s.instances {
		if key.Namespace == namespace {
			return i
		}
	}
	return nil
}
