package fault

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/conformance/subject"
)

const (
	// recheck is how soon a status that could not be written is tried again.
	recheck = 50 * time.Millisecond
	// reconsider is how soon it is looked again whether a Fault makes sense: the
	// replica or the resource that it names may come, or go.
	reconsider = 500 * time.Millisecond
)

// Controller serves Faults.
type Controller struct {
	// Client reads and writes Faults.
	Client client.Client
	// Mapper finds the resources that they name.
	Mapper meta.RESTMapper
	// Subjects tells which Subject runs where.
	Subjects subject.Subjects
	// Engine carries them out.
	Engine *Engine
}

// SetupWithManager registers the controller.
func (c *Controller) SetupWithManager(mgr ctrl.Manager) error {
	hits := source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) error {
		c.Engine.OnHit(func(key types.NamespacedName) { queue.Add(ctrl.Request{NamespacedName: key}) })
		return nil
	})
	return ctrl.NewControllerManagedBy(mgr).
		Named("fault").
		For(&v1alpha1.Fault{}).
		WatchesRawSource(hits).
		WithOptions(controller.Options{MaxConcurrentReconciles: 8}).
		Complete(c)
}

// Reconcile arms a new Fault, disarms one that is deleted, and keeps the status
// current in between. It needs no finalizer: however a Fault goes, what it did
// ends when it is seen to be gone.
func (c *Controller) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	fault := &v1alpha1.Fault{}
	if err := c.Client.Get(ctx, req.NamespacedName, fault); err != nil {
		if apierrors.IsNotFound(err) {
			c.Engine.Remove(req.NamespacedName)
		}
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !fault.DeletionTimestamp.IsZero() {
		c.Engine.Remove(req.NamespacedName)
		return ctrl.Result{}, nil
	}
	c.Engine.Add(fault)
	status, _ := c.Engine.Status(req.NamespacedName)
	var result ctrl.Result
	if status.Hits == 0 {
		result.RequeueAfter = reconsider
		if nonsense := c.nonsense(fault); nonsense != "" && status.Phase == v1alpha1.FaultArmed {
			status.Phase, status.Message = v1alpha1.FaultInvalid, nonsense
		}
	}
	if equality.Semantic.DeepEqual(fault.Status, status) {
		return result, nil
	}
	fault.Status = status
	if err := c.Client.Status().Update(ctx, fault); apierrors.IsConflict(err) {
		return ctrl.Result{RequeueAfter: recheck}, nil // the cache is behind our own last write
	} else if err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(fmt.Errorf("writing the status of fault %s: %w", req, err))
	}
	return result, nil
}

// nonsense says what a Fault names that there is none of; empty where it names
// no such thing. As long as no Subject runs, any replica may come.
func (c *Controller) nonsense(fault *v1alpha1.Fault) string {
	for _, name := range fault.Spec.Match.Resources {
		if nonsense := c.unknown(schema.ParseGroupResource(name)); nonsense != "" {
			return "spec.match.resources: " + nonsense
		}
	}
	switch fault.Spec.Target {
	case "", v1alpha1.TargetAll, v1alpha1.TargetLeader, v1alpha1.TargetStandby:
		return ""
	}
	if subject := c.Subjects.Running(fault.Namespace); subject != nil {
		if _, unknown := subject.Resolve(fault.Spec.Target); unknown != "" {
			return "spec.target: " + unknown
		}
	}
	return ""
}

// unknown says that the API server has no such resource, and which one may be
// meant; empty where it has, or cannot be asked.
func (c *Controller) unknown(resource schema.GroupResource) string {
	found, err := c.Mapper.ResourcesFor(resource.WithVersion(""))
	if err != nil && !meta.IsNoMatchError(err) {
		return ""
	}
	meant := "plural.group"
	for _, one := range found {
		if one.GroupResource() == resource {
			return ""
		}
		meant = one.GroupResource().String()
	}
	return fmt.Sprintf("the API server has no resource %q; give %s", resource, meant)
}
