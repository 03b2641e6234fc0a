package observation

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// recheck is how soon a status that could not be written is tried again.
const recheck = 50 * time.Millisecond

// Controller serves Observations.
type Controller struct {
	// Client reads and writes Observations.
	Client client.Client
	// Dynamic watches what they observe.
	Dynamic dynamic.Interface
	// Mapper finds the resources that they name.
	Mapper meta.RESTMapper
	// Replicas finds what replicas serve and write.
	Replicas Replicas

	changed chan event.TypedGenericEvent[*v1alpha1.Observation]

	mu   sync.Mutex
	open map[types.NamespacedName]*opened
}

// Replicas finds what replicas serve and write. Its errors say that there is no
// such thing.
type Replicas interface {
	// Endpoint is the URL of an endpoint of a replica's.
	Endpoint(namespace, replica string, name v1alpha1.EndpointName) (string, error)
	// Log is the file that takes the output of a replica.
	Log(namespace, replica string) (string, error)
}

// opened is an Observation that is being served, and the way to end it.
type opened struct {
	uid  types.UID
	seen interface {
		snapshot() v1alpha1.ObservationStatus
	}
	cancel context.CancelFunc
}

// SetupWithManager registers the controller. Its watches end with the manager.
func (c *Controller) SetupWithManager(mgr ctrl.Manager) error {
	c.open = map[types.NamespacedName]*opened{}
	c.changed = make(chan event.TypedGenericEvent[*v1alpha1.Observation], 1024)
	if err := mgr.Add(manager.RunnableFunc(c.closeAtEnd)); err != nil {
		return fmt.Errorf("registering the end of the watches: %w", err)
	}
	return ctrl.NewControllerManagedBy(mgr).
		Named("observation").
		For(&v1alpha1.Observation{}).
		WatchesRawSource(source.Channel(c.changed, &handler.TypedEnqueueRequestForObject[*v1alpha1.Observation]{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: 8}).
		Complete(c)
}

// Reconcile begins what a new Observation asks for, and keeps its status current.
func (c *Controller) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	observation := &v1alpha1.Observation{}
	if err := c.Client.Get(ctx, req.NamespacedName, observation); err != nil {
		c.close(req.NamespacedName, "")
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !observation.DeletionTimestamp.IsZero() {
		c.close(req.NamespacedName, "")
		return ctrl.Result{}, nil
	}
	status, err := c.observe(ctx, observation)
	if err != nil {
		status = v1alpha1.ObservationStatus{
			Phase: v1alpha1.ObservationInvalid, Message: err.Error(), Violations: []v1alpha1.ObservedViolation{},
		}
	}
	if equality.Semantic.DeepEqual(observation.Status, status) {
		return ctrl.Result{}, nil
	}
	observation.Status = status
	if err := c.Client.Status().Update(ctx, observation); apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: recheck}, nil // the cache is behind our own last write
	} else if err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(fmt.Errorf("writing the status of observation %s: %w", req, err))
	}
	return ctrl.Result{}, nil
}

// observe returns the present status, and begins to look where nobody does yet.
func (c *Controller) observe(ctx context.Context, observation *v1alpha1.Observation) (v1alpha1.ObservationStatus, error) {
	key := client.ObjectKeyFromObject(observation)
	c.close(key, observation.UID)
	c.mu.Lock()
	present := c.open[key]
	c.mu.Unlock()
	if present != nil {
		return present.seen.snapshot(), nil
	}
	// What is begun outlives this call, and ends with the Observation.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	reference := &v1alpha1.Observation{}
	reference.Namespace, reference.Name = key.Namespace, key.Name
	onChange := func() {
		select {
		case c.changed <- event.TypedGenericEvent[*v1alpha1.Observation]{Object: reference}:
		case <-ctx.Done():
		}
	}
	begun := &opened{uid: observation.UID, cancel: cancel}
	switch spec := observation.Spec; {
	case spec.Endpoint != nil:
		begun.seen = poll(ctx, newEndpoint(c.Replicas, key.Namespace, *spec.Endpoint).read, onChange)
	case spec.Log != nil:
		begun.seen = poll(ctx, newLogFile(c.Replicas, key.Namespace, *spec.Log).read, onChange)
	default:
		o, err := c.watch(ctx, observation, onChange)
		if err != nil {
			cancel()
			return v1alpha1.ObservationStatus{}, err
		}
		begun.seen = o
	}
	c.mu.Lock()
	c.open[key] = begun
	c.mu.Unlock()
	return begun.seen.snapshot(), nil
}

// watch opens the watch of an Observation of a resource.
func (c *Controller) watch(ctx context.Context, observation *v1alpha1.Observation, onChange func()) (*observer, error) {
	compiled, err := compile(observation.Spec.Never)
	if err != nil {
		return nil, err
	}
	mapping, err := c.resolve(observation.Spec.Resource)
	if err != nil {
		return nil, err
	}
	var resource dynamic.ResourceInterface = c.Dynamic.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		resource = c.Dynamic.Resource(mapping.Resource).Namespace(observation.Namespace)
	}
	return open(ctx, resource, observation.Spec.Name, compiled, onChange)
}

// close ends the watch of the key, unless it is that of the Observation with
// the given UID.
func (c *Controller) close(key types.NamespacedName, keep types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if present := c.open[key]; present != nil && present.uid != keep {
		present.cancel()
		delete(c.open, key)
	}
}

// closeAtEnd ends every watch with the manager.
func (c *Controller) closeAtEnd(ctx context.Context) error {
	<-ctx.Done()
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, present := range c.open {
		present.cancel()
		delete(c.open, key)
	}
	return nil
}

// resolve finds the resource by plural or plural.group.
func (c *Controller) resolve(name string) (*meta.RESTMapping, error) {
	plural, group, _ := strings.Cut(name, ".")
	resource, err := c.Mapper.ResourceFor(schema.GroupVersionResource{Group: group, Resource: plural})
	if err != nil {
		return nil, fmt.Errorf("finding resource %q: %w (give plural or plural.group)", name, err)
	}
	kind, err := c.Mapper.KindFor(resource)
	if err != nil {
		return nil, fmt.Errorf("finding the kind of resource %q: %w", name, err)
	}
	return c.Mapper.RESTMapping(kind.GroupKind(), kind.Version)
}
