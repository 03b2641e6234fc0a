package disruption

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/conformance/history"
)

const (
	// recheck is how soon a Disruption that waits is looked at again.
	recheck = 50 * time.Millisecond
	// side by side: a process that takes its time to end holds a worker.
	concurrent = 32
)

// Controller serves Disruptions.
type Controller struct {
	// Client reads and writes Disruptions.
	Client client.Client
	// Reader asks the API server itself.
	Reader client.Reader
	// Recorder is told when one is done.
	Recorder *history.Recorder
	// Processes that are disrupted.
	Processes Processes
	// Within is how long a process in a namespace that is told to end may take by
	// default.
	Within func(namespace string) time.Duration

	mu sync.Mutex
	// ended are the results of those that were carried out, until they stand in
	// the objects.
	ended map[types.UID]v1alpha1.DisruptionStatus
}

// SetupWithManager registers the controller.
func (c *Controller) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		Named("disruption").
		For(&v1alpha1.Disruption{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrent}).
		Complete(c)
}

// Reconcile carries a Disruption out, once.
func (c *Controller) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	d := &v1alpha1.Disruption{}
	if err := c.Client.Get(ctx, req.NamespacedName, d); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !d.DeletionTimestamp.IsZero() || isDone(d.Status.Phase) {
		c.forget(d.UID)
		return ctrl.Result{}, nil
	}
	if status, ok := c.result(d.UID); ok {
		return c.report(ctx, d, status)
	}
	replicas, status := aim(d.Spec, c.Processes.Running(d.Namespace))
	switch status.Phase {
	case v1alpha1.DisruptionPending:
		result, err := c.report(ctx, d, status)
		result.RequeueAfter = recheck
		return result, err
	case v1alpha1.DisruptionFailed:
		c.note(d, history.DisruptionFailed, status.Message)
		c.keep(d.UID, status)
		return c.report(ctx, d, status)
	}
	if c.awaitsRenewal(d, replicas, time.Now()) {
		return ctrl.Result{RequeueAfter: recheck}, nil
	}
	status, err := c.act(ctx, d, replicas)
	switch {
	case ctx.Err() != nil:
		return ctrl.Result{}, ctx.Err() // the bench ends, and all processes with it
	case err == nil:
		c.note(d, history.DisruptionDone, fmt.Sprintf("%s to %v", d.Spec.Action, replicas))
	case !isTheirs(err):
		c.note(d, history.DisruptionFailed, status.Message)
	}
	c.keep(d.UID, status) // whatever comes next, it is not done again
	revision, err := c.revision(ctx, d.Namespace)
	if err != nil {
		return ctrl.Result{}, err
	}
	status.ResourceVersion = revision
	c.keep(d.UID, status)
	return c.report(ctx, d, status)
}

// revision is the resourceVersion of the cluster as it is now.
func (c *Controller) revision(ctx context.Context, namespace string) (string, error) {
	var list v1alpha1.DisruptionList
	if err := c.Reader.List(ctx, &list, client.InNamespace(namespace), client.Limit(1)); err != nil {
		return "", fmt.Errorf("asking for the resourceVersion of the cluster: %w", err)
	}
	return list.ResourceVersion, nil
}

// report writes the status where it differs.
func (c *Controller) report(ctx context.Context, d *v1alpha1.Disruption, status v1alpha1.DisruptionStatus) (ctrl.Result, error) {
	if equality.Semantic.DeepEqual(d.Status, status) {
		return ctrl.Result{}, nil
	}
	d.Status = status
	err := c.Client.Status().Update(ctx, d)
	if apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: recheck}, nil // the cache is behind our own last write
	}
	if client.IgnoreNotFound(err) != nil {
		return ctrl.Result{}, fmt.Errorf("writing the status of disruption %s/%s: %w", d.Namespace, d.Name, err)
	}
	return ctrl.Result{}, nil
}

func isDone(phase v1alpha1.DisruptionPhase) bool {
	return phase == v1alpha1.DisruptionDone || phase == v1alpha1.DisruptionFailed
}

func (c *Controller) result(uid types.UID) (v1alpha1.DisruptionStatus, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	status, ok := c.ended[uid]
	return status, ok
}

func (c *Controller) keep(uid types.UID, status v1alpha1.DisruptionStatus) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended == nil {
		c.ended = map[types.UID]v1alpha1.DisruptionStatus{}
	}
	c.ended[uid] = status
}

func (c *Controller) forget(uid types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.ended, uid)
}

func (c *Controller) note(d *v1alpha1.Disruption, reason, message string) {
	event := history.Event{
		Scenario: d.Namespace, Object: "Disruption/" + d.Name, Reason: reason, Message: message,
	}
	if subject := c.Processes.Running(d.Namespace); subject != nil {
		event.Subject = subject.Name
	}
	c.Recorder.Event(event)
}
