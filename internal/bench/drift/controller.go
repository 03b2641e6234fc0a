package drift

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/disruption"
	"reconform.dev/reconform/internal/bench/objects"
	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/profile/expectation"
	"reconform.dev/reconform/internal/record/history"
)

// longestResync is the longest resync period that a Drift waits for.
const longestResync = 35 * time.Second

// Controller serves Drifts.
type Controller struct {
	// Client creates the other owner.
	Client client.Client
	// Dynamic changes the objects.
	Dynamic dynamic.Interface
	// Mapper finds the resources of the objects.
	Mapper meta.RESTMapper
	// Recorder knows what the subjects wrote.
	Recorder *history.Recorder
	// Profile returns the profile of the implementation in a namespace. It names the
	// container.
	Profile func(namespace string) *profile.Profile
	// Times returns the times of that profile, with its claims.
	Times func(namespace string) expectation.Times
	// Processes are restarted if what was deleted does not come back.
	Processes disruption.Processes

	runs objects.Runs[*run]
}

// SetupWithManager registers the controller. Running Drifts end with the manager.
func (c *Controller) SetupWithManager(mgr ctrl.Manager, admission *objects.Admission) error {
	if err := mgr.Add(&c.runs); err != nil {
		return fmt.Errorf("registering the end of drifts: %w", err)
	}
	return objects.Serve(mgr, admission, &v1alpha1.Drift{}, c, objects.Options{})
}

// Check says why a Drift can never be carried out.
func (c *Controller) Check(_ context.Context, drift *v1alpha1.Drift) error {
	_, err := c.prepare(drift)
	return err
}

// Admit starts a Drift. When it returns, everything that has to be added has been added.
func (c *Controller) Admit(ctx context.Context, drift *v1alpha1.Drift) error {
	r, err := c.prepare(drift)
	if err != nil {
		return err
	}
	return c.begin(ctx, drift, r)
}

// Advance updates the status of a Drift.
func (c *Controller) Advance(ctx context.Context, drift *v1alpha1.Drift) (time.Duration, error) {
	if !drift.Status.Verdict.IsPending() {
		return 0, nil
	}
	present, ok := c.runs.Of(drift)
	if !ok {
		drift.Status.Phase, drift.Status.Verdict = v1alpha1.DriftInvalid, v1alpha1.JudgementInvalid
		drift.Status.Message = objects.Lost
		return 0, nil
	}
	if drift.Status = present.status(); drift.Status.Verdict.IsPending() {
		return objects.Recheck, nil
	}
	return 0, nil
}

// Remove ends a running Drift.
func (c *Controller) Remove(key types.NamespacedName) { c.runs.End(key) }

// prepare finds the object that a Drift is about.
func (c *Controller) prepare(drift *v1alpha1.Drift) (*run, error) {
	mapping, err := objects.FindResource(c.Mapper, drift.Spec.Resource)
	if err != nil {
		return nil, err
	}
	client, err := objects.InNamespace(c.Dynamic, mapping, drift.Namespace, c.Profile(drift.Namespace).ServesCluster())
	if err != nil {
		return nil, err
	}
	times := c.Times(drift.Namespace)
	within, err := times.Within(drift.Spec.Within, time.Now())
	if err != nil {
		return nil, fmt.Errorf("computing within: %w", err)
	}
	if resync := times.Claims.Times.Resync.Duration; resync <= longestResync && drift.Spec.Mode != v1alpha1.DriftAdd {
		within += expectation.Scaled(resync, times.Scale)
	}
	spec, p := drift.Spec, c.Profile(drift.Namespace)
	spec.Resource = mapping.Resource.GroupResource().String()
	return &run{
		children: &children{
			client: c.Dynamic, recorder: c.Recorder, namespace: drift.Namespace, exempt: times.Claims.Exempt,
			restart: func(ctx context.Context) error { return c.restart(ctx, drift.Namespace) },
		},
		childNames: p.ChildNames,
		spec:       spec, times: times, within: within, container: p.Spec.Contract.Children.Deployment.Container,
		first:    p.Spec.Contract.Children.Deployment.FirstContainer,
		workload: p.WorkloadResource().String(), template: keys(strings.Split(p.Workload().PodTemplate, ".")...),
		object: &object{
			client: client, name: spec.Name, recorder: c.Recorder,
			query: history.Query{Scenario: drift.Namespace, Match: v1alpha1.RequestMatch{
				Verbs: []string{history.VerbCreate, history.VerbUpdate}, Resources: []string{spec.Resource}, Names: []string{spec.Name},
			}},
		},
	}, nil
}

// begin starts a Drift. The Drift goes on after the call.
func (c *Controller) begin(ctx context.Context, drift *v1alpha1.Drift, r *run) error {
	work := r.changeAll
	switch drift.Spec.Mode {
	case v1alpha1.DriftAdd:
		done, err := c.add(ctx, drift, r)
		if err != nil {
			return err
		}
		work = func(ctx context.Context) error { return r.keep(ctx, done) }
	case v1alpha1.DriftDelete:
		work = r.deleteAll
	case v1alpha1.DriftChangeOthers:
		work = r.changeOthers
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	c.runs.Put(drift, r, cancel)
	go func() { r.end(work(running)) }()
	return nil
}

// add adds what others may add to the object, except fields that the controller itself
// sets.
func (c *Controller) add(ctx context.Context, drift *v1alpha1.Drift, r *run) (*added, error) {
	owner, err := c.owner(ctx, drift)
	if err != nil {
		return nil, err
	}
	now, err := r.object.read(ctx)
	if err != nil {
		return nil, err
	}
	own, err := fieldsSet(r.object.writes(now.GetUID(), 0), now.Object, true)
	if err != nil {
		return nil, err
	}
	additions := metadataAdditions(owner.Name, owner.UID)
	if r.claims(v1alpha1.FeatureForeignFields) {
		for _, a := range r.additionsTo(r.spec.Resource) {
			if !a.among(own) {
				additions = append(additions, a)
			}
		}
	}
	return r.add(ctx, additions, nudge(r.spec.Resource, own))
}

// nudge returns a field that the controller set. It is changed together with what is
// added, so that the controller has something to write. It is nil if that is not needed.
// Whether the field comes back is not judged.
func nudge(resource string, own []field) *changed {
	for _, f := range own {
		if resource == "services" && !f.entry && f.path.under("spec.selector") {
			return &changed{field: f, to: another(f.path, f.value)[0]}
		}
	}
	return nil
}

// owner creates an object that can be an owner. It is created once.
func (c *Controller) owner(ctx context.Context, drift *v1alpha1.Drift) (*corev1.ConfigMap, error) {
	owner := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: drift.Namespace, Name: drift.Name + "-other-owner"}}
	err := c.Client.Create(ctx, owner)
	if apierrors.IsAlreadyExists(err) {
		return nil, errors.New("there is a ConfigMap " + owner.Name + " already: give the Drift another name")
	}
	if err != nil {
		return nil, fmt.Errorf("creating another owner: %w", err)
	}
	return owner, nil
}

// restart restarts all processes of the subject in a namespace.
func (c *Controller) restart(ctx context.Context, namespace string) error {
	running := c.Processes.Running(namespace)
	if running == nil {
		return errors.New("there is no Subject in this namespace")
	}
	within, err := disruption.Grace(c.Times(namespace))
	if err != nil {
		return err
	}
	for _, replica := range running.Replicas {
		_, err := c.Processes.Disrupt(ctx, namespace, replica, v1alpha1.ActionRestart, within)
		if err != nil && !errors.Is(err, subject.ErrOverdue) {
			return fmt.Errorf("restarting %s: %w", replica, err)
		}
	}
	return nil
}
