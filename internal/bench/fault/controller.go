package fault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/objects"
	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/profile/expectation"
)

// reconsider is how soon a Fault is checked again: the replica or resource that it names
// may appear or disappear.
const reconsider = 500 * time.Millisecond

// Controller serves Faults. It needs no finalizer: however a Fault is deleted, it stops
// acting when the controller sees that it is gone.
type Controller struct {
	// Reader reads from the API server directly.
	Reader client.Reader
	// Mapper finds the resources that Faults name.
	Mapper meta.RESTMapper
	// Subjects knows which Subject runs in which namespace.
	Subjects subject.Subjects
	// Engine carries out the Faults.
	Engine *Engine
	// Times returns the times of the profile in a namespace. Its claims say which Faults
	// must fire.
	Times func(namespace string) expectation.Times
}

// SetupWithManager registers the controller.
func (c *Controller) SetupWithManager(mgr ctrl.Manager, admission *objects.Admission) error {
	hits := source.Func(func(_ context.Context, queue workqueue.TypedRateLimitingInterface[ctrl.Request]) error {
		c.Engine.OnHit(func(key types.NamespacedName) { queue.Add(ctrl.Request{NamespacedName: key}) })
		return nil
	})
	return objects.Serve(mgr, admission, &v1alpha1.Fault{}, c, objects.Options{Changes: hits})
}

// Check says why a Fault can never act.
func (c *Controller) Check(ctx context.Context, fault *v1alpha1.Fault) error {
	if fault.Spec.Action.Stale != nil || fault.Spec.Action.Restored != nil {
		// The Fault has no version yet. For this Fault, the past is the current state.
		var now v1alpha1.FaultList
		if err := c.Reader.List(ctx, &now, client.InNamespace(fault.Namespace), client.Limit(1)); err != nil {
			return fmt.Errorf("asking for the resourceVersion of the cluster: %w", err)
		}
		fault.ResourceVersion = now.ResourceVersion
	}
	if invalid := c.invalidReference(fault); invalid != "" {
		return errors.New(invalid)
	}
	return c.Engine.Check(fault)
}

// Admit arms a Fault.
func (c *Controller) Admit(ctx context.Context, fault *v1alpha1.Fault) error {
	if err := c.Check(ctx, fault); err != nil {
		return err
	}
	c.Engine.Add(c.settled(fault))
	return nil
}

// settled returns the Fault. If the profile does not claim the feature that the Fault
// needs to fire, the Fault is optional.
func (c *Controller) settled(fault *v1alpha1.Fault) *v1alpha1.Fault {
	if expectation.CheckClaim(c.Times(fault.Namespace).Claims, fault.Spec.ExpectedWith) == "" {
		return fault
	}
	fault = fault.DeepCopy()
	fault.Spec.Optional = true
	return fault
}

// Advance updates the status. What a Fault names may disappear after the Fault was
// admitted.
func (c *Controller) Advance(_ context.Context, fault *v1alpha1.Fault) (time.Duration, error) {
	settled := c.settled(fault)
	c.Engine.Add(settled)
	fault.Status, _ = c.Engine.Status(client.ObjectKeyFromObject(fault))
	fault.Status.Verdict = judgement(settled.Spec, fault.Status)
	if fault.Status.Hits > 0 {
		return 0, nil
	}
	if invalid := c.invalidReference(fault); invalid != "" && fault.Status.Phase == v1alpha1.FaultArmed {
		fault.Status.Phase, fault.Status.Message = v1alpha1.FaultInvalid, invalid
		fault.Status.Verdict = v1alpha1.JudgementInvalid
	}
	return reconsider, nil
}

// judgement says whether a Fault has done what it must do.
func judgement(spec v1alpha1.FaultSpec, status v1alpha1.FaultStatus) v1alpha1.Judgement {
	switch {
	case status.Phase == v1alpha1.FaultInvalid:
		return v1alpha1.JudgementInvalid
	case spec.Optional || status.Hits >= expected(spec):
		return v1alpha1.JudgementMet
	}
	return v1alpha1.JudgementPending
}

// expected returns how many requests a Fault must hit.
func expected(spec v1alpha1.FaultSpec) int64 {
	switch {
	case spec.ExpectedHits > 0:
		return spec.ExpectedHits
	case spec.Times != nil:
		return int64(*spec.Times)
	case spec.Action.Respond != nil:
		return int64(1 + len(spec.Action.Respond.Then))
	}
	return 1
}

// Remove disarms a Fault.
func (c *Controller) Remove(key types.NamespacedName) { c.Engine.Remove(key) }

// invalidReference names a resource or replica in a Fault that does not exist. It returns
// "" if all exist. As long as no Subject runs, the replica may still appear.
func (c *Controller) invalidReference(fault *v1alpha1.Fault) string {
	for _, name := range fault.Spec.Match.Resources {
		if unknown := c.unknown(name); unknown != "" {
			return "spec.match.resources: " + unknown
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

// unknown says that the API server has no resource with exactly this name, and which one
// may be meant. It returns "" if the resource exists, or if the API server cannot be
// asked.
func (c *Controller) unknown(name string) string {
	meant := "plural.group"
	mapping, err := objects.FindResource(c.Mapper, name)
	if err == nil {
		meant = mapping.Resource.GroupResource().String()
	}
	if meant == name || err != nil && !meta.IsNoMatchError(err) {
		return ""
	}
	return fmt.Sprintf("the API server has no resource %q; give %s", name, meant)
}
