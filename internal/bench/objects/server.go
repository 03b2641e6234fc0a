package objects

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

// Recheck is how soon an Actor looks again at an object that waits for something that sends
// no event.
const Recheck = 100 * time.Millisecond

// lookAgain is how soon an object is reconciled again if the cache has not seen the
// last write yet, our own or another one.
const lookAgain = 50 * time.Millisecond

// defaultConcurrent is how many objects of a kind are reconciled at the same time.
const defaultConcurrent = 8

// Actor does what the objects of one kind ask for. Many goroutines call it, but only one at
// a time for the same object, except for admission.
type Actor[T client.Object] interface {
	// Check returns why an object can never be put in force, or nil. It is for a dry run: it
	// changes nothing.
	Check(ctx context.Context, object T) error
	// Admit puts an object that is being created in force, and returns when it is. If it
	// returns an error, the object is refused, and the error says why.
	Admit(ctx context.Context, object T) error
	// Advance updates the object's status, and returns after which time it wants to look
	// again; 0 means that nothing changes by itself. If the object is not in force yet, it
	// puts it in force. If it fails, it is called again, and what it wrote into the status is
	// kept.
	Advance(ctx context.Context, object T) (time.Duration, error)
	// Remove ends what is in force for a deleted object.
	Remove(key types.NamespacedName)
}

// Reporter is an Actor that wants to know which status of its objects can be read.
type Reporter[T client.Object] interface {
	// Reported is called when the API server has the status of an object as Advance left it.
	Reported(object T)
}

// Options of a kind.
type Options struct {
	// Concurrent is how many objects are reconciled at the same time; 0 means 8.
	Concurrent int
	// Changes brings the keys of more objects to reconcile. If it is nil, only events of the
	// API server do.
	Changes source.Source
}

// Serve registers an actor for a kind, with the manager and for admission.
func Serve[T client.Object](mgr ctrl.Manager, admission *Admission, prototype T, actor Actor[T], options Options) error {
	kinds, _, err := mgr.GetScheme().ObjectKinds(prototype)
	if err != nil {
		return fmt.Errorf("finding the kind of %T: %w", prototype, err)
	}
	if options.Concurrent == 0 {
		options.Concurrent = defaultConcurrent
	}
	kind := kinds[0].Kind
	awaited := &arrivals{}
	s := &server[T]{
		client: mgr.GetClient(), live: mgr.GetAPIReader(), prototype: prototype, actor: actor,
		arrivals: awaited, name: strings.ToLower(kind),
	}
	b := ctrl.NewControllerManagedBy(mgr).Named(s.name).For(prototype, builder.WithPredicates(awaited.seen())).
		WithOptions(controller.Options{MaxConcurrentReconciles: options.Concurrent}).
		WatchesRawSource(source.Func(awaited.start))
	if options.Changes != nil {
		b = b.WatchesRawSource(options.Changes)
	}
	if err := b.Complete(s); err != nil {
		return fmt.Errorf("registering the controller of %s: %w", s.name, err)
	}
	admission.add(kind, &admitter[T]{reader: s.live, prototype: prototype, actor: actor, arrivals: awaited})
	return nil
}

// server keeps the objects of one kind current.
type server[T client.Object] struct {
	client    client.Client
	live      client.Reader // asks the API server itself, not the cache
	prototype T
	actor     Actor[T]
	arrivals  *arrivals
	written   written
	name      string
}

// Reconcile lets the actor look at one object, and writes its status if it differs.
func (s *server[T]) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	since := s.arrivals.turn()
	object, found, err := s.read(ctx, s.client, req.NamespacedName)
	if err != nil {
		return ctrl.Result{}, err
	}
	if wait, err := s.awaits(ctx, req.NamespacedName, object.GetUID(), since); err != nil || wait > 0 {
		return ctrl.Result{RequeueAfter: wait}, err
	}
	if !found || !object.GetDeletionTimestamp().IsZero() {
		s.written.forget(req.NamespacedName)
		if err := s.release(ctx, object); err != nil {
			return ctrl.Result{}, err
		}
		if !s.arrivals.remove(req.NamespacedName, object.GetUID(), since, s.actor.Remove) {
			return ctrl.Result{RequeueAfter: lookAgain}, nil
		}
		return ctrl.Result{}, nil
	}
	if s.written.newerThan(object) {
		return ctrl.Result{RequeueAfter: lookAgain}, nil
	}
	if err := s.hold(ctx, object); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	before := object.DeepCopyObject()
	next, failed := s.actor.Advance(ctx, object)
	if failed != nil {
		failed = fmt.Errorf("serving %s %s: %w", s.name, req, failed)
	}
	switch err := s.write(ctx, before, object); {
	case failed != nil:
		return ctrl.Result{}, errors.Join(failed, err)
	case apierrors.IsConflict(err):
		return ctrl.Result{RequeueAfter: lookAgain}, nil
	case err != nil:
		return ctrl.Result{}, err
	}
	if reporter, ok := s.actor.(Reporter[T]); ok {
		reporter.Reported(object)
	}
	return ctrl.Result{RequeueAfter: next}, nil
}

// write writes the status of an object if it differs.
func (s *server[T]) write(ctx context.Context, before runtime.Object, object T) error {
	if equality.Semantic.DeepEqual(before, object) {
		return nil
	}
	if err := s.client.Status().Update(ctx, object); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("writing the status of %s %s: %w", s.name, client.ObjectKeyFromObject(object), err)
	}
	s.written.note(object)
	return nil
}

// read reads an object. It returns false if it does not exist.
func (s *server[T]) read(ctx context.Context, from client.Reader, key types.NamespacedName) (T, bool, error) {
	object := s.prototype.DeepCopyObject().(T)
	err := from.Get(ctx, key, object)
	if apierrors.IsNotFound(err) {
		return object, false, nil
	}
	if err != nil {
		return object, false, fmt.Errorf("reading %s %s: %w", s.name, key, err)
	}
	return object, true, nil
}

// awaits returns for how long an object must be left alone: another object with this
// name was admitted, and is on its way, or may have arrived since the object was read.
// The UID is that of the object, or empty if it does not exist. What is in force for an
// object that never arrives is ended.
func (s *server[T]) awaits(ctx context.Context, key types.NamespacedName, uid types.UID, since uint64) (time.Duration, error) {
	expected, ok := s.arrivals.of(key)
	if !ok {
		if s.arrivals.turn() != since {
			return lookAgain, nil
		}
		return 0, nil
	}
	if expected.uid == uid {
		s.arrivals.settle(key, uid)
		return 0, nil
	}
	if left := arriving - time.Since(expected.admitted); left > 0 {
		return left, nil
	}
	stored, _, err := s.read(ctx, s.live, key)
	if err != nil {
		return 0, err
	}
	if stored.GetUID() == expected.uid {
		return lookAgain, nil
	}
	if !s.arrivals.remove(key, expected.uid, since, s.actor.Remove) {
		return lookAgain, nil
	}
	return 0, nil
}
