package subject

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/objects"
)

// Controller serves Subjects: it starts and stops the processes that they ask for.
type Controller struct {
	// Environment that all Subjects share.
	Environment

	changed chan event.TypedGenericEvent[*v1alpha1.Subject]
	ended   chan struct{}

	mu        sync.Mutex
	instances map[types.NamespacedName]*instance
}

// SetupWithManager registers the controller.
func (s *Controller) SetupWithManager(mgr ctrl.Manager, admission *objects.Admission) error {
	s.instances = map[types.NamespacedName]*instance{}
	s.changed = make(chan event.TypedGenericEvent[*v1alpha1.Subject], 1024)
	s.ended = make(chan struct{})
	return objects.Serve(mgr, admission, &v1alpha1.Subject{}, s, objects.Options{
		Concurrent: concurrent,
		Changes:    source.Channel(s.changed, &handler.TypedEnqueueRequestForObject[*v1alpha1.Subject]{}),
	})
}

// Check lets every Subject be created.
func (s *Controller) Check(context.Context, *v1alpha1.Subject) error { return nil }

// Admit lets every Subject be created. It is started after its creation, and its status
// tells how far that is.
func (s *Controller) Admit(context.Context, *v1alpha1.Subject) error { return nil }

// Advance starts a new Subject, and from then on keeps its status current.
func (s *Controller) Advance(ctx context.Context, subject *v1alpha1.Subject) (time.Duration, error) {
	present, err := s.serve(ctx, subject)
	if err != nil {
		subject.Status = v1alpha1.SubjectStatus{ObservedGeneration: subject.Generation}
		if present := s.instance(client.ObjectKeyFromObject(subject)); present != nil {
			subject.Status = present.status(subject.Generation) // it goes on as before
		}
		subject.Status.Message = err.Error()
		return 0, err
	}
	present.told.Store(present.changes.Load())
	subject.Status = present.status(subject.Generation)
	if subject.Spec.LeaderElection {
		return leaderRecheck, nil
	}
	return 0, nil
}

// Reported notes that the API server now has the last status of a Subject.
func (s *Controller) Reported(subject *v1alpha1.Subject) {
	if present := s.instance(client.ObjectKeyFromObject(subject)); present != nil && present.subject.UID == subject.UID {
		present.reported.Store(present.told.Load())
	}
}

// End stops a Subject that is being deleted.
func (s *Controller) End(ctx context.Context, subject *v1alpha1.Subject) error {
	if err := s.stop(ctx, client.ObjectKeyFromObject(subject)); err != nil {
		return err
	}
	return s.unauthorize(ctx, subject)
}

// Remove stops a Subject that was deleted without its End, because somebody removed the
// finalizer. Nobody is left to hear of an error.
func (s *Controller) Remove(key types.NamespacedName) { _ = s.stop(context.Background(), key) }

const (
	// concurrent is how many Subjects are started or stopped at the same time.
	concurrent = 16
	// leaderRecheck is how soon a new leader shows in the status. It has to be polled,
	// because traffic triggers no reconcile.
	leaderRecheck = 200 * time.Millisecond
	// reportTimeout limits the wait for a status to be written, and reportPoll is the pause
	// between two looks.
	reportTimeout = 2 * time.Second
	reportPoll    = 5 * time.Millisecond
)

// awaitReport waits until the status of the Subject in a namespace contains everything that
// has changed by now, so that no client reads an older one.
func (s *Controller) awaitReport(ctx context.Context, namespace string) {
	present := s.in(namespace)
	if present == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	tick := time.NewTicker(reportPoll)
	defer tick.Stop()
	for changes := present.changes.Load(); present.reported.Load() < changes; {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// serve starts the Subject, or scales it to the number of replicas that it asks for.
func (s *Controller) serve(ctx context.Context, subject *v1alpha1.Subject) (*instance, error) {
	for _, namespace := range subject.Spec.Namespaces {
		if namespace == s.home(subject) {
			return nil, fmt.Errorf("spec.namespaces: %q is the namespace that the controller lives in", namespace)
		}
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
		if err := s.checkReplicas(); err != nil {
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

// stop ends the processes of a Subject, if it has any.
func (s *Controller) stop(ctx context.Context, key types.NamespacedName) error {
	s.mu.Lock()
	present := s.instances[key]
	delete(s.instances, key)
	s.mu.Unlock()
	if present == nil {
		return nil
	}
	return errors.Join(present.stop(ctx), s.forgetLease(ctx, key.Namespace))
}

// forgetLease deletes the Lease that the stopped controller holds. Without that, the next
// process would wait until it expires, and do nothing meanwhile, which looks like rest. A
// Lease that somebody else holds stays.
func (s *Controller) forgetLease(ctx context.Context, namespace string) error {
	name, declared := s.Profile(namespace).Lease(namespace)
	if !declared {
		return nil
	}
	last, written := s.Recorder.LeaseWrite(namespace, types.NamespacedName{Namespace: name.Namespace, Name: name.Name})
	if !written || last.Holder == "" {
		return nil
	}
	leases := s.Clientset.CoordinationV1().Leases(name.Namespace)
	lease, err := leases.Get(ctx, name.Name, metav1.GetOptions{})
	if err == nil && ptr.Deref(lease.Spec.HolderIdentity, "") == last.Holder {
		err = leases.Delete(ctx, name.Name, *metav1.NewRVDeletionPrecondition(lease.ResourceVersion))
	}
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("deleting the Lease of the stopped controller: %w", err)
	}
	return nil
}

// Stop ends every Subject, all at the same time. No other is started afterwards.
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
	return errors.Join(append(errs, s.ports.Close())...)
}

var errBenchEnds = errors.New("the bench is ending")

// ending tells whether Stop was called.
func (s *Controller) ending() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// keep adds a started instance to the list, unless the bench has ended meanwhile.
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

// notify triggers a reconcile of the Subject, because something about it changed.
func (s *Controller) notify(key types.NamespacedName) {
	subject := &v1alpha1.Subject{}
	subject.Namespace, subject.Name = key.Namespace, key.Name
	select {
	case s.changed <- event.TypedGenericEvent[*v1alpha1.Subject]{Object: subject}:
	case <-s.ended:
	}
}

// Running returns the Subject in the namespace, or nil.
func (s *Controller) Running(namespace string) *Running {
	if present := s.in(namespace); present != nil {
		return present.running()
	}
	return nil
}

// replicasIn returns the replicas of the Subject in a namespace, if there is one.
func (s *Controller) replicasIn(namespace string) []*replica {
	if present := s.in(namespace); present != nil {
		return present.list()
	}
	return nil
}

// in returns the instance of the Subject in a namespace, or nil.
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
