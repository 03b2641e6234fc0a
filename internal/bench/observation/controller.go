package observation

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/objects"
	"reconform.dev/reconform/internal/profile/expectation"
	"reconform.dev/reconform/internal/record/history"
)

// Controller serves Observations.
type Controller struct {
	// Dynamic watches the observed objects.
	Dynamic dynamic.Interface
	// Mapper finds the resources that Observations name.
	Mapper meta.RESTMapper
	// Replicas finds what replicas serve and write.
	Replicas Replicas
	// Recorder knows what the subjects sent, and how long they waited for answers.
	Recorder *history.Recorder
	// Times returns the times of the profile in a namespace, with its claims.
	Times func(namespace string) expectation.Times

	changed chan event.TypedGenericEvent[*v1alpha1.Observation]

	open objects.Runs[*judge]
}

// Replicas finds what replicas serve and write. If it finds nothing, it returns an error.
type Replicas interface {
	// Endpoint returns the URL of an endpoint of a replica.
	Endpoint(namespace, replica string, name v1alpha1.EndpointName) (string, error)
	// Ask sends a request to a replica, in the name of the bench. It returns an error if
	// there is no answer.
	Ask(namespace, replica string, request *http.Request) (*http.Response, error)
	// Log returns the file with the output of a replica.
	Log(namespace, replica string) (string, error)
}

// SetupWithManager registers the controller. Its watches end with the manager.
func (c *Controller) SetupWithManager(mgr ctrl.Manager, admission *objects.Admission) error {
	c.changed = make(chan event.TypedGenericEvent[*v1alpha1.Observation], 1024)
	if err := mgr.Add(&c.open); err != nil {
		return fmt.Errorf("registering the end of the watches: %w", err)
	}
	return objects.Serve(mgr, admission, &v1alpha1.Observation{}, c, objects.Options{
		Changes: source.Channel(c.changed, &handler.TypedEnqueueRequestForObject[*v1alpha1.Observation]{}),
	})
}

// Check says why an Observation cannot be started.
func (c *Controller) Check(_ context.Context, observation *v1alpha1.Observation) error {
	if err := c.checkAfter(observation); err != nil {
		return err
	}
	if _, err := newJudge(observation.Spec, c.Times(observation.Namespace), time.Now()); err != nil {
		return err
	}
	if observation.Spec.Resource == "" {
		return nil
	}
	_, err := objects.FindResource(c.Mapper, observation.Spec.Resource)
	return err
}

// Admit starts an Observation.
func (c *Controller) Admit(ctx context.Context, observation *v1alpha1.Observation) error {
	if err := c.checkAfter(observation); err != nil {
		return err
	}
	_, err := c.observe(ctx, observation)
	return err
}

// checkAfter makes sure that the Observation that another one comes after has begun.
func (c *Controller) checkAfter(observation *v1alpha1.Observation) error {
	if observation.Spec.After == "" {
		return nil
	}
	_, err := c.begunBefore(observation)
	return err
}

// Advance updates the status.
func (c *Controller) Advance(ctx context.Context, observation *v1alpha1.Observation) (time.Duration, error) {
	judge, err := c.observe(ctx, observation)
	if err != nil {
		observation.Status = v1alpha1.ObservationStatus{
			Phase: v1alpha1.ObservationInvalid, Verdict: v1alpha1.JudgementInvalid, Message: err.Error(),
			Violations: []v1alpha1.ObservedViolation{},
		}
		return 0, nil
	}
	return c.report(observation, judge, time.Now()), nil
}

// report updates the status with what was judged until now, and returns how soon to
// look again.
func (c *Controller) report(observation *v1alpha1.Observation, judge *judge, now time.Time) time.Duration {
	was := observation.Status
	status, next := judge.status(now)
	observation.Status = status
	next = cmp.Or(c.order(observation, judge, now), next)
	if wait := judge.early(was, observation.Status, now); wait > 0 {
		observation.Status = was
		return wait
	}
	return next
}

// Remove ends an Observation.
func (c *Controller) Remove(key types.NamespacedName) { c.open.End(key) }

// observe returns the judge of an Observation. It starts the Observation if that is not
// done yet.
func (c *Controller) observe(ctx context.Context, observation *v1alpha1.Observation) (*judge, error) {
	if present, ok := c.open.Of(observation); ok {
		return present, nil
	}
	key := client.ObjectKeyFromObject(observation)
	judge, err := newJudge(observation.Spec, c.Times(key.Namespace), time.Now())
	if err != nil {
		return nil, err
	}
	if excludesWaiting(observation.Spec) {
		judge.stretched = func(limit time.Duration, from, now time.Time) time.Duration {
			return history.Stretched(limit, c.Recorder.Requests(history.Query{Scenario: key.Namespace}), from, now)
		}
	}
	// The observation continues after this call, and ends with the Observation.
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	reference := &v1alpha1.Observation{}
	reference.Namespace, reference.Name = key.Namespace, key.Name
	onChange := func() {
		select {
		case c.changed <- event.TypedGenericEvent[*v1alpha1.Observation]{Object: reference}:
		case <-ctx.Done():
		}
	}
	switch spec := observation.Spec; {
	case spec.Endpoint != nil:
		err = poll(ctx, newEndpoint(c.Replicas, key.Namespace, *spec.Endpoint, c.Times(key.Namespace).Claims.Metrics).read, judge, onChange)
	case spec.Log != nil:
		err = poll(ctx, newLogFile(c.Replicas, key.Namespace, *spec.Log).read, judge, onChange)
	default:
		err = c.watch(ctx, observation, judge, onChange)
	}
	if err != nil {
		cancel()
		return nil, err
	}
	c.open.Put(observation, judge, cancel)
	return judge, nil
}

// excludesWaiting tells whether the time in which the subject waits for answers is left out
// of the time limit. It always is if the limit comes from measured pauses: a pause lasts
// from an answer to the next request, and answers may be slower now than they were then.
func excludesWaiting(spec v1alpha1.ObservationSpec) bool {
	return spec.ExcludesWaiting || spec.Within != nil && spec.Within.Measured != nil
}

// watch opens the watch for an Observation of a resource.
func (c *Controller) watch(ctx context.Context, observation *v1alpha1.Observation, judge *judge, onChange func()) error {
	mapping, err := objects.FindResource(c.Mapper, observation.Spec.Resource)
	if err != nil {
		return err
	}
	var resource dynamic.ResourceInterface = c.Dynamic.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		resource = c.Dynamic.Resource(mapping.Resource).Namespace(observation.Namespace)
	}
	return follow(ctx, resource, observation.Spec.Name, judge, onChange)
}

// Statuses returns how many statuses an Observation has seen so far. The error says that
// there is no such Observation.
func (c *Controller) Statuses(key types.NamespacedName) (int64, error) {
	judge, ok := c.open.Named(key)
	if !ok {
		return 0, fmt.Errorf("there is no Observation %s", key.Name)
	}
	status, _ := judge.status(time.Now())
	return status.Statuses, nil
}
