package explore

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	benchtrial "reconform.dev/reconform/internal/bench/trial"
	"reconform.dev/reconform/internal/runner"
)

const (
	// patience is how long a Trial may take. Each of its waits has a limit, so this is only
	// reached if the bench does not answer.
	patience = 15 * time.Minute
	// lookAtTrial is the pause between two looks at a Trial. A Trial has all that is expected of
	// it, so the API server has much to read for a look: it is asked at every fiftieth only, which
	// shows that it is still there. The others are looks into the cache of the bench.
	lookAtTrial  = 100 * time.Millisecond
	looksInCache = 50
	// trialName and subjectName are the names of the objects in each namespace.
	trialName   = "trial"
	subjectName = "subject"
)

// place carries out Trials, each in a namespace of its own.
type place struct {
	session *runner.Session
	client  client.Client
	number  atomic.Int64
	// sweep removes the objects without a namespace that the Trial in a namespace has left.
	sweep func(namespace string) error
}

func newPlace(ctx context.Context, session *runner.Session) (*place, error) {
	scheme := runtime.NewScheme()
	if err := errors.Join(v1alpha1.AddToScheme(scheme), clientgoscheme.AddToScheme(scheme)); err != nil {
		return nil, fmt.Errorf("building the scheme: %w", err)
	}
	config := rest.CopyConfig(session.Config)
	config.QPS = -1 // the number of Trials side by side is the limit
	client, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	return &place{session: session, client: client, sweep: sweeping(ctx, session.Bench.Sweep)}, nil
}

// tried is the result of one Trial.
type tried struct {
	v1alpha1.TrialStatus
	namespace string
}

// refused is the error of a Trial that cannot be carried out, whatever the controller does.
type refused struct{ error }

func (e refused) Unwrap() error { return e.error }

// try carries out a Trial of a target. When all that is left is to wait whether differences go
// away, or for a resync of the controller, it calls waits with the differences once, unless that
// is nil.
func (p *place) try(ctx context.Context, target *Target, spec v1alpha1.TrialSpec, elects bool, waits func([]v1alpha1.Divergence)) (_ *tried, err error) {
	namespace := fmt.Sprintf("explore-%d", p.number.Add(1))
	made := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace, Labels: map[string]string{v1alpha1.LabelBench: v1alpha1.BenchMade}}}
	if err := p.client.Create(ctx, made); err != nil {
		return nil, fmt.Errorf("creating a namespace: %w", err)
	}
	for _, object := range target.Beside {
		if err := p.beside(ctx, namespace, object); err != nil {
			return nil, err
		}
	}
	subject := &v1alpha1.Subject{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: subjectName}}
	subject.Spec.Replicas = 1
	if elects {
		subject.Spec.Replicas, subject.Spec.LeaderElection = 2, true
	}
	// A request that was not answered, because the time was over, may have been carried out.
	defer func() { err = errors.Join(err, p.clear(ctx, target, subject)) }()
	if err := p.client.Create(ctx, subject); err != nil {
		return nil, fmt.Errorf("starting the controller: %w", err)
	}
	trial := &v1alpha1.Trial{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: trialName}, Spec: spec}
	if err := p.client.Create(ctx, trial); err != nil {
		if apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsRequestEntityTooLargeError(err) {
			return nil, refused{err}
		}
		return nil, fmt.Errorf("creating a Trial: %w", err)
	}
	if err := p.await(ctx, trial, waits); err != nil {
		return nil, err
	}
	return &tried{trial.Status, namespace}, nil
}

// beside creates a copy of an object that must be there beside the sample.
func (p *place) beside(ctx context.Context, namespace string, object *unstructured.Unstructured) error {
	object = object.DeepCopy()
	object.SetNamespace(namespace)
	cluster, err := p.isCluster(object.GroupVersionKind())
	switch {
	case err == nil && cluster:
		return refused{fmt.Errorf("%s %s has no namespace, so it cannot be created beside each sample: put it into install.setup", object.GetKind(), object.GetName())}
	case err == nil:
		err = p.client.Create(ctx, object)
	}
	if err == nil {
		return nil
	}
	said := fmt.Errorf("creating %s %s, which must be there beside the sample: %w", object.GetKind(), object.GetName(), err)
	if isRefusal(err) {
		return refused{said}
	}
	return said
}

// isRefusal says whether the API server would answer the same the next time.
func isRefusal(err error) bool {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) {
		return meta.IsNoMatchError(err)
	}
	code := answer.Status().Code
	return code >= http.StatusBadRequest && code < http.StatusInternalServerError && code != http.StatusTooManyRequests
}

// isCluster says whether objects of a kind have no namespace.
func (p *place) isCluster(kind schema.GroupVersionKind) (bool, error) {
	mapping, err := p.client.RESTMapper().RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return false, err
	}
	return mapping.Scope.Name() != meta.RESTScopeNameNamespace, nil
}

// await waits until a Trial is done.
func (p *place) await(ctx context.Context, trial *v1alpha1.Trial, waits func([]v1alpha1.Divergence)) error {
	late := time.NewTimer(patience)
	defer late.Stop()
	tick := time.NewTicker(lookAtTrial)
	defer tick.Stop()
	for looks := 1; ; looks++ {
		if err := p.look(ctx, trial, looks%looksInCache == 0); err != nil {
			return fmt.Errorf("looking at a Trial: %w", err)
		}
		if !trial.Status.Verdict.IsPending() {
			return nil
		}
		if waits != nil && (len(trial.Status.Divergences) > 0 || trial.Status.Message == benchtrial.WaitsForResync) {
			waits(trial.Status.Divergences)
			waits = nil
		}
		select {
		case <-tick.C:
		case <-late.C:
			return fmt.Errorf("a Trial in %s is not done after %s: %s", trial.Namespace, patience, trial.Status.Message)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// look reads a Trial: from the API server itself, or from the cache of the bench. A new one may
// not be in the cache yet.
func (p *place) look(ctx context.Context, trial *v1alpha1.Trial, live bool) error {
	key := client.ObjectKeyFromObject(trial)
	if live {
		return p.client.Get(ctx, key, trial)
	}
	return client.IgnoreNotFound(p.session.Bench.Cached().Get(ctx, key, trial))
}

// clear stops the controller of a Trial, and removes what costs time while other Trials
// run, also if the exploration was interrupted. The namespace stays until the control plane
// ends.
func (p *place) clear(interrupted context.Context, target *Target, subject *v1alpha1.Subject) error {
	ctx := context.WithoutCancel(interrupted)
	trial := &v1alpha1.Trial{ObjectMeta: metav1.ObjectMeta{Namespace: subject.Namespace, Name: trialName}}
	if err := p.client.Delete(ctx, trial); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("ending a Trial: %w", err)
	}
	if err := p.client.Delete(ctx, subject); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("stopping the controller: %w", err)
	}
	if target.Profile.ServesCluster() {
		return p.sweep(subject.Namespace)
	}
	sample := target.Sample.DeepCopy()
	sample.SetNamespace(subject.Namespace)
	if err := p.client.Delete(ctx, sample); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("removing the object: %w", err)
	}
	return nil
}

// sweeping returns a function that removes what the Trial in a namespace has left. It does so also
// if only that Trial was interrupted, because the time for recordings is over: otherwise the next
// Trial would find it. If the whole exploration is interrupted, the bench ends, too. Then nobody
// ends the controller, for which a sweep waits, and no other Trial runs.
func sweeping(exploration context.Context, sweep func(ctx context.Context, namespace string) error) func(namespace string) error {
	return func(namespace string) error {
		if err := sweep(exploration, namespace); exploration.Err() == nil {
			return err
		}
		return nil
	}
}
