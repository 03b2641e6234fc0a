package load

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/objects"
)

// Controller serves Loads.
type Controller struct {
	// Dynamic makes what they ask for. The pace is theirs, so it has no limit of
	// its own: see NewClient.
	Dynamic dynamic.Interface
	// Mapper finds the resources of their templates.
	Mapper meta.RESTMapper

	mu   sync.Mutex
	runs map[types.NamespacedName]*begun
}

// begun is a Load's run, and the way to end it.
type begun struct {
	uid    types.UID
	run    *run
	cancel context.CancelFunc
}

// NewClient makes the client of Loads: one without a limit but the API server's,
// and with a name of its own in the API server's eyes.
func NewClient(config *rest.Config) (dynamic.Interface, error) {
	config = rest.AddUserAgent(rest.CopyConfig(config), fieldManager)
	config.QPS, config.RateLimiter = -1, nil
	return dynamic.NewForConfig(config)
}

// SetupWithManager registers the controller. Loads that run end with the manager.
func (c *Controller) SetupWithManager(mgr ctrl.Manager, admission *objects.Admission) error {
	c.runs = map[types.NamespacedName]*begun{}
	if err := mgr.Add(manager.RunnableFunc(c.endAll)); err != nil {
		return fmt.Errorf("registering the end of loads: %w", err)
	}
	return objects.Serve(mgr, admission, &v1alpha1.Load{}, c, objects.Options{})
}

// Admit checks a Load. It begins once it is there.
func (c *Controller) Admit(_ context.Context, load *v1alpha1.Load, _ bool) error {
	_, err := prepare(load, c.Dynamic, c.Mapper)
	return err
}

// Advance begins a new Load, and says how far it is until it has ended.
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

// Remove ends a Load that runs.
func (c *Controller) Remove(key types.NamespacedName) { c.end(key, "") }

// advance begins the Load where it is new, and returns how far it is.
func (c *Controller) advance(ctx context.Context, load *v1alpha1.Load) v1alpha1.LoadStatus {
	key := client.ObjectKeyFromObject(load)
	c.end(key, load.UID)
	c.mu.Lock()
	defer c.mu.Unlock()
	if present := c.runs[key]; present != nil {
		return present.run.now()
	}
	if load.Status.Phase != "" {
		// Nobody knows how much of it was done.
		return failed(load, errors.New("the bench that carried it out has ended"))
	}
	r, err := prepare(load, c.Dynamic, c.Mapper)
	if err != nil {
		return failed(load, err)
	}
	// The Load outlives this call.
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c.runs[key] = &begun{uid: load.UID, run: r, cancel: cancel}
	go r.do(running)
	return r.now()
}

func failed(load *v1alpha1.Load, err error) v1alpha1.LoadStatus {
	status := load.Status
	status.Phase, status.Message = v1alpha1.LoadFailed, err.Error()
	return status
}

// end ends the run of the key, unless it is that of the Load with the given UID.
func (c *Controller) end(key types.NamespacedName, keep types.UID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if present := c.runs[key]; present != nil && present.uid != keep {
		present.cancel()
		delete(c.runs, key)
	}
}

// endAll ends every run with the manager.
func (c *Controller) endAll(ctx context.Context) error {
	<-ctx.Done()
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, present := range c.runs {
		present.cancel()
		delete(c.runs, key)
	}
	return nil
}
