package trial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/objects"
	"reconform.dev/reconform/internal/bench/snapshot"
	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/profile/expectation"
	"reconform.dev/reconform/internal/record/history"
)

// Outcomes takes and compares what is there at the end.
type Outcomes interface {
	CheckResources(namespace string, resources []string) error
	Outcome(ctx context.Context, namespace string, resources []string) (snapshot.Outcome, error)
	Compare(namespace string, expected, found snapshot.Outcome, masks []v1alpha1.TrialMask) ([]v1alpha1.Divergence, error)
}

// Drifts changes the children of a subject.
type Drifts interface {
	// Alter changes fields that the subject set, and says which.
	Alter(ctx context.Context, namespace, resource, name string, fields v1alpha1.TrialDriftFields) (string, error)
}

// Controller serves Trials.
type Controller struct {
	// Client creates and deletes Faults and Disruptions.
	Client client.Client
	// Reader reads directly from the API server.
	Reader client.Reader
	// Dynamic changes the objects that operations are about.
	Dynamic dynamic.Interface
	// Mapper finds their resources.
	Mapper meta.RESTMapper
	// Recorder knows what the subjects sent.
	Recorder *history.Recorder
	// Subjects knows which Subject runs in which namespace.
	Subjects subject.Subjects
	// Outcomes and Drifts do what Snapshots and Drifts do.
	Outcomes Outcomes
	Drifts   Drifts
	// Profile returns the profile of the implementation in a namespace.
	Profile func(namespace string) *profile.Profile
	// Times returns the times of that profile.
	Times func(namespace string) expectation.Times

	runs objects.Runs[*run]
}

// SetupWithManager registers the controller. Running Trials end with the manager.
func (c *Controller) SetupWithManager(mgr ctrl.Manager, admission *objects.Admission) error {
	if err := mgr.Add(&c.runs); err != nil {
		return fmt.Errorf("registering the end of trials: %w", err)
	}
	return objects.Serve(mgr, admission, &v1alpha1.Trial{}, c, objects.Options{Concurrent: 16})
}

// Check says why a Trial can never be carried out.
func (c *Controller) Check(ctx context.Context, trial *v1alpha1.Trial) error {
	_, err := c.prepare(ctx, trial)
	return err
}

// Admit starts a Trial.
func (c *Controller) Admit(ctx context.Context, trial *v1alpha1.Trial) error {
	r, err := c.prepare(ctx, trial)
	if err != nil {
		return err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c.runs.Put(trial, r, cancel)
	go func() {
		defer cancel()
		r.end(running, r.carryOut(running))
	}()
	return nil
}

// Advance updates the status of a Trial.
func (c *Controller) Advance(_ context.Context, trial *v1alpha1.Trial) (time.Duration, error) {
	if !trial.Status.Verdict.IsPending() {
		return 0, nil
	}
	present, ok := c.runs.Of(trial)
	if !ok {
		trial.Status.Phase, trial.Status.Verdict = v1alpha1.TrialInvalid, v1alpha1.JudgementInvalid
		trial.Status.Message = objects.Lost
		return 0, nil
	}
	if trial.Status = present.status(); trial.Status.Verdict.IsPending() {
		return objects.Recheck, nil
	}
	return 0, nil
}

// Remove ends a running Trial.
func (c *Controller) Remove(key types.NamespacedName) { c.runs.End(key) }

// prepare checks a Trial.
func (c *Controller) prepare(ctx context.Context, trial *v1alpha1.Trial) (*run, error) {
	r := &run{Controller: c, name: trial.Name, namespace: trial.Namespace, spec: *trial.Spec.DeepCopy(), began: time.Now()}
	var err error
	if r.within, err = c.Times(trial.Namespace).Within(trial.Spec.Within, time.Now()); err != nil {
		return nil, fmt.Errorf("computing within: %w", err)
	}
	if err := c.Outcomes.CheckResources(trial.Namespace, trial.Spec.Resources); err != nil {
		return nil, fmt.Errorf("spec.resources: %w", err)
	}
	for i, operation := range trial.Spec.Operations {
		done, err := c.operation(trial.Namespace, operation)
		if err != nil {
			return nil, fmt.Errorf("spec.operations[%d]: %w", i, err)
		}
		r.operations = append(r.operations, done)
	}
	if err := r.tryCreate(ctx); err != nil {
		return nil, fmt.Errorf("spec.operations[0]: %w", err)
	}
	if trial.Spec.Disturb != nil {
		if r.disturbance, err = c.disturbance(ctx, trial); err != nil {
			return nil, fmt.Errorf("spec.disturb: %w", err)
		}
	}
	if expected := trial.Spec.Undisturbed; expected != nil && expected.Objects != "" {
		if r.expected, err = readOutcome(expected.Objects); err != nil {
			return nil, fmt.Errorf("spec.undisturbed.objects: %w", err)
		}
	} else if expected != nil && expected.Trial == trial.Name {
		return nil, errors.New("spec.undisturbed.trial: it is to be compared with itself")
	}
	return r, nil
}
