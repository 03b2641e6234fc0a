package objects

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// Admission tells the API server whether an object of the bench may be created. It asks the
// actor of the kind, which puts the object in force.
type Admission struct {
	mu    sync.RWMutex
	kinds map[string]hook
}

// hook admits the objects of one kind.
type hook interface {
	admit(ctx context.Context, request admission.Request) error
}

// NewAdmission returns an Admission that knows no kind yet.
func NewAdmission() *Admission { return &Admission{kinds: map[string]hook{}} }

func (a *Admission) add(kind string, h hook) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.kinds[kind] = h
}

// Handle answers one request. It is an admission.Handler.
func (a *Admission) Handle(ctx context.Context, request admission.Request) admission.Response {
	a.mu.RLock()
	h := a.kinds[request.Kind.Kind]
	a.mu.RUnlock()
	if h == nil || request.Operation != admissionv1.Create {
		return admission.Allowed("")
	}
	if err := h.admit(ctx, request); err != nil {
		var retry *notYet
		if errors.As(err, &retry) {
			return admission.Errored(http.StatusInternalServerError, err)
		}
		return admission.Denied(err.Error())
	}
	return admission.Allowed("")
}

// notYet is an error that says nothing about the object: the bench or the API server could
// not do its part.
type notYet struct{ error }

func (e *notYet) Unwrap() error { return e.error }

// admitter is the hook of one kind.
type admitter[T client.Object] struct {
	reader    client.Reader
	prototype T
	actor     Actor[T]
	arrivals  *arrivals
}

func (a *admitter[T]) admit(ctx context.Context, request admission.Request) error {
	object := a.prototype.DeepCopyObject().(T)
	if err := json.Unmarshal(request.Object.Raw, object); err != nil {
		return fmt.Errorf("reading the %s: %w", strings.ToLower(request.Kind.Kind), err)
	}
	act := a.putInForce
	if request.DryRun != nil && *request.DryRun {
		act = a.actor.Check
	}
	return retried(ctx, func(ctx context.Context) error { return a.try(ctx, object, act) })
}

// try does with an object what its creation asks for, once, unless it exists already.
func (a *admitter[T]) try(ctx context.Context, object T, act func(context.Context, T) error) error {
	// The API server asks before it checks whether an object with this name exists already.
	// If it does, what is in force for it must stay so.
	present := a.prototype.DeepCopyObject().(T)
	err := a.reader.Get(ctx, client.ObjectKeyFromObject(object), present)
	if err == nil {
		return nil
	}
	if !apierrors.IsNotFound(err) {
		return &notYet{fmt.Errorf("looking for another object of that name: %w", err)}
	}
	return act(ctx, object)
}

// putInForce lets the actor admit an object. From now on the name belongs to this object, even
// if the cache still has another one.
func (a *admitter[T]) putInForce(ctx context.Context, object T) error {
	key := client.ObjectKeyFromObject(object)
	a.arrivals.expect(key, object.GetUID())
	if err := a.actor.Admit(ctx, object); err != nil {
		a.arrivals.settle(key, object.GetUID())
		return err
	}
	return nil
}
