package disruption

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/objects"
	"reconform.dev/reconform/internal/profile/expectation"
	"reconform.dev/reconform/internal/record/history"
)

// concurrent is how many Disruptions are carried out at the same time. A process that ends
// slowly occupies a worker.
const concurrent = 32

// Controller serves Disruptions.
type Controller struct {
	// Reader reads directly from the API server.
	Reader client.Reader
	// Recorder records when a Disruption is done.
	Recorder *history.Recorder
	// Processes are the processes that are disrupted.
	Processes Processes
	// Nodes are the Nodes that something happens to.
	Nodes Nodes
	// Times returns the times of the profile in a namespace: how long a process may take
	// to end.
	Times func(namespace string) expectation.Times

	mu sync.Mutex
	// ended are the results of finished Disruptions, until the results are in the objects.
	ended map[types.UID]v1alpha1.DisruptionStatus
	// begun is when unfinished Disruptions were first seen.
	begun map[types.UID]time.Time
}

// SetupWithManager registers the controller.
func (c *Controller) SetupWithManager(mgr ctrl.Manager, admission *objects.Admission) error {
	return objects.Serve(mgr, admission, &v1alpha1.Disruption{}, c, objects.Options{Concurrent: concurrent})
}

// Check says why a Disruption can never be carried out.
func (c *Controller) Check(_ context.Context, d *v1alpha1.Disruption) error {
	if err := c.Nodes.check(d.Spec); err != nil {
		return err
	}
	_, err := c.limits(d)
	return err
}

// Admit checks a Disruption. It is carried out after it was created.
func (c *Controller) Admit(ctx context.Context, d *v1alpha1.Disruption) error { return c.Check(ctx, d) }

// Advance carries out a Disruption, once.
func (c *Controller) Advance(ctx context.Context, d *v1alpha1.Disruption) (time.Duration, error) {
	if !d.Status.Verdict.IsPending() {
		c.forget(d.UID)
		return 0, nil
	}
	limits, err := c.limits(d)
	if err != nil {
		d.Status = c.fail(d, err.Error())
		judge(d, limits.expected)
		return 0, nil
	}
	status, next, err := c.carryOut(ctx, d, limits)
	if err != nil {
		return 0, err
	}
	d.Status = status
	judge(d, limits.expected)
	return next, nil
}

// Remove does nothing: what was done to a process is done.
func (c *Controller) Remove(types.NamespacedName) {}

// carryOut does what a Disruption asks for, if that is not done yet. It returns the
// result, and how soon to look again.
func (c *Controller) carryOut(
	ctx context.Context, d *v1alpha1.Disruption, limits limits,
) (v1alpha1.DisruptionStatus, time.Duration, error) {
	if status, ok := c.result(d.UID); ok {
		return status, 0, nil
	}
	if does := c.Nodes.action(d.Spec.Action); does != nil {
		within := limits.waits
		if d.Spec.WithinMs != nil {
			within = limits.killed
		}
		status, err := disturb(ctx, d.Namespace, within, does)
		return c.finish(ctx, d, status, err, status.Message)
	}
	replicas, status := aim(d.Spec, c.Processes.Running(d.Namespace))
	if len(replicas) > 0 && !c.interrupts(d, replicas) {
		status = pending("no request is open that it is to interrupt")
	}
	if status.Phase == v1alpha1.DisruptionPending {
		if time.Since(c.began(d.UID)) < limits.waits {
			return status, objects.Recheck, nil
		}
		status.Phase = v1alpha1.DisruptionFailed
	}
	if status.Phase == v1alpha1.DisruptionFailed {
		return c.fail(d, status.Message), 0, nil
	}
	if c.awaitsRenewal(d, replicas, c.began(d.UID), time.Now()) {
		return d.Status, objects.Recheck, nil
	}
	status, err := c.act(ctx, d, replicas, limits.killed)
	return c.finish(ctx, d, status, err, fmt.Sprintf("%s to %v", d.Spec.Action, replicas))
}

// finish keeps and records what was done, or the error that it ended with.
func (c *Controller) finish(
	ctx context.Context, d *v1alpha1.Disruption, status v1alpha1.DisruptionStatus, err error, done string,
) (v1alpha1.DisruptionStatus, time.Duration, error) {
	switch {
	case ctx.Err() != nil:
		return status, 0, ctx.Err() // the bench ends, and all processes end with it
	case err == nil:
		c.note(d, history.DisruptionDone, done)
	case !isTheirs(err):
		c.note(d, history.DisruptionFailed, status.Message)
	}
	c.keep(d.UID, status) // whatever happens next, it is not done again
	revision, err := c.revision(ctx, d.Namespace)
	if err != nil {
		return status, 0, err
	}
	status.ResourceVersion = revision
	c.keep(d.UID, status)
	return status, 0, nil
}

// fail ends a Disruption that did not start, and records that once.
func (c *Controller) fail(d *v1alpha1.Disruption, message string) v1alpha1.DisruptionStatus {
	if status, ok := c.result(d.UID); ok {
		return status
	}
	status := failed(message)
	c.note(d, history.DisruptionFailed, message)
	c.keep(d.UID, status)
	return status
}

// revision returns the current resourceVersion of the cluster.
func (c *Controller) revision(ctx context.Context, namespace string) (string, error) {
	var list v1alpha1.DisruptionList
	if err := c.Reader.List(ctx, &list, client.InNamespace(namespace), client.Limit(1)); err != nil {
		return "", fmt.Errorf("asking for the resourceVersion of the cluster: %w", err)
	}
	return list.ResourceVersion, nil
}

// began returns when a Disruption was first seen. Its creationTimestamp does not say that: the
// clock of the API server may be another.
func (c *Controller) began(uid types.UID) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, seen := c.begun[uid]; !seen {
		if c.begun == nil {
			c.begun = map[types.UID]time.Time{}
		}
		c.begun[uid] = time.Now()
	}
	return c.begun[uid]
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
	delete(c.begun, uid)
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
