package load

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/objects"
	"reconform.dev/reconform/internal/profile"
)

// Controller serves Loads.
type Controller struct {
	// Dynamic makes what Loads ask for. Loads set the pace themselves, so this client has
	// no limit of its own: see NewClient.
	Dynamic dynamic.Interface
	// Mapper finds the resources of the templates.
	Mapper meta.RESTMapper
	// Profile returns the profile of the implementation in a namespace.
	Profile func(namespace string) *profile.Profile

	runs objects.Runs[*run]
}

// NewClient makes the client of Loads. It has no rate limit, only the API server's, and
// its own user agent.
func NewClient(config *rest.Config) (dynamic.Interface, error) {
	config = rest.AddUserAgent(rest.CopyConfig(config), fieldManager)
	config.QPS, config.RateLimiter = -1, nil
	return dynamic.NewForConfig(config)
}

// SetupWithManager registers the controller. Running Loads end with the manager.
func (c *Controller) SetupWithManager(mgr ctrl.Manager, admission *objects.Admission) error {
	if err := mgr.Add(&c.runs); err != nil {
		return fmt.Errorf("registering the end of loads: %w", err)
	}
	return objects.Serve(mgr, admission, &v1alpha1.Load{}, c, objects.Options{})
}

// Check says why a Load can never be carried out.
func (c *Controller) Check(_ context.Context, load *v1alpha1.Load) error {
	_, err := c.prepare(load)
	return err
}

// Admit checks a Load. The Load starts after it was created.
func (c *Controller) Admit(ctx context.Context, load *v1alpha1.Load) error { return c.Check(ctx, load) }

// Advance starts a new Load, and updates its status until it has ended.
func (c *Controller) Advance(ctx context.Context, load *v1alpha1.Load) (time.Duration, error) {
	if load.Status.Verdict.IsPending() {
		load.Status = c.advance(ctx, load)
	}
	switch load.Status.Phase {
	case v1alpha1.LoadDone:
		load.Status.Verdict = v1alpha1.JudgementMet
	case v1alpha1.LoadFailed:
		load.Status.Verdict = v1alpha1.JudgementInvalid
	default:
		load.Status.Verdict = v1alpha1.JudgementPending
		return objects.Recheck, nil
	}
	return 0, nil
}

func (c *Controller) prepare(load *v1alpha1.Load) (*run, error) {
	return prepare(load, c.Dynamic, c.Mapper, c.Profile(load.Namespace).ServesCluster())
}

// Remove ends a running Load.
func (c *Controller) Remove(key types.NamespacedName) { c.runs.End(key) }

// advance starts the Load if it is new, and returns its status.
func (c *Controller) advance(ctx context.Context, load *v1alpha1.Load) v1alpha1.LoadStatus {
	if present, ok := c.runs.Of(load); ok {
		return present.now()
	}
	if load.Status.Phase != "" {
		// It is not known how much of it was done.
		return failed(load, errors.New(objects.Lost))
	}
	r, err := c.prepare(load)
	if err != nil {
		return failed(load, err)
	}
	// The Load goes on after this call.
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c.runs.Put(load, r, cancel)
	go r.do(running)
	return r.now()
}

func failed(load *v1alpha1.Load, err error) v1alpha1.LoadStatus {
	status := load.Status
	status.Phase, status.Message = v1alpha1.LoadFailed, err.Error()
	return status
}
