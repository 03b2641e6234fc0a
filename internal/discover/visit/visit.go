package visit

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/runner"
)

// Namespace of the visit.
const Namespace = "reconform-look"

// Refused says why the API server accepts no object.
type Refused struct{ Reason string }

func (e *Refused) Error() string { return e.Reason }

// Elsewhere says that the controller wants a Lease in a namespace that it may not see.
type Elsewhere struct{ Lease v1alpha1.LeaseName }

func (e *Elsewhere) Error() string {
	return fmt.Sprintf("the controller wants Lease %s in namespace %s", e.Lease.Name, e.Lease.Namespace)
}

// AtHome says that the controller serves only the namespace that it lives in.
type AtHome struct{ Kind string }

func (e *AtHome) Error() string {
	return fmt.Sprintf("the controller asks for each %s in the namespace that it lives in, and nowhere else", e.Kind)
}

// Barred says that the controller needs to write cluster-scoped resources, but may not.
type Barred struct{ Resources []string }

func (e *Barred) Error() string {
	return fmt.Sprintf("the controller writes %s, which are cluster-scoped, and the bench refused that", strings.Join(e.Resources, ", "))
}

// visitor carries out a visit.
type visitor struct {
	Plan
	session  *runner.Session
	client   client.Client
	dynamic  dynamic.Interface
	resource schema.GroupVersionResource
	cluster  bool // the objects of the resource have no namespace
	camera   camera
	record   infer.Record
	bare     bool          // without what is around a spec
	plays    int           // number of rehearsals so far
	reaction time.Duration // time from the creation of the first object to the first write
	late     time.Duration // time after which it looked again and created another child; 0 if it did not
	restless bool          // it went on writing when all was there
	period   time.Duration // at which it looks, if it watches no children; 0 if that is not known
}

// Look visits the controller of a session.
func Look(ctx context.Context, session *runner.Session, plan Plan) (_ *infer.Record, err error) {
	v := &visitor{Plan: plan, session: session, cluster: plan.CRD.Spec.Scope == apiextensionsv1.ClusterScoped}
	v.resource = schema.GroupVersionResource{Group: plan.CRD.Spec.Group, Version: plan.Version.Name, Resource: plan.CRD.Spec.Names.Plural}
	v.record = infer.Record{
		Kind: plan.CRD.Spec.Names.Kind, CRD: plan.CRD, Version: plan.Version, Command: plan.Command,
		Home: plan.Profile.Home(Namespace), OwnNetwork: session.Bench.OwnNetwork(), GoProgram: builtByGo(plan.Profile),
		Claimed: plan.Profile.Spec.Contract.Children.Deployment.Workload,
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(v1alpha1.AddToScheme(scheme), clientgoscheme.AddToScheme(scheme)); err != nil {
		return nil, fmt.Errorf("building the scheme: %w", err)
	}
	if v.client, err = client.New(session.Config, client.Options{Scheme: scheme}); err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	if v.dynamic, err = dynamic.NewForConfig(session.Config); err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	filming, stop := context.WithCancel(ctx)
	defer func() {
		stop()
		v.camera.ended.Wait()
	}()
	if err := v.prepare(filming); err != nil {
		return nil, err
	}
	if err := v.carryOut(ctx); err != nil {
		return nil, err
	}
	record := v.recorded()
	return record, v.move(ctx) // whose requests are no part of the record
}

// builtByGo tells whether the program of a profile was built by Go.
func builtByGo(p *profile.Profile) bool {
	program, err := p.Program()
	if err != nil {
		return false
	}
	_, err = buildinfo.ReadFile(program)
	return err == nil
}

// prepare creates the namespaces and starts the camera.
func (v *visitor) prepare(ctx context.Context) error {
	for _, name := range []string{Namespace, v.leaseNamespace(), v.record.Home} {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1alpha1.LabelBench: v1alpha1.BenchMade}}}
		if err := v.client.Create(ctx, namespace); name != "" && err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("creating namespace %s: %w", name, err)
		}
	}
	other := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: infer.ProbeConfigMap, Namespace: Namespace}, Data: map[string]string{"LOOK": "seen"}}
	if err := v.client.Create(ctx, other); err != nil {
		return fmt.Errorf("creating a ConfigMap: %w", err)
	}
	if err := v.createBeside(ctx); err != nil {
		return err
	}
	if err := v.camera.film(ctx, v.dynamic, v.namespace(), v.resource); err != nil {
		return err
	}
	err := v.camera.film(ctx, v.dynamic, Namespace, besides(&v.record)...)
	if w := v.record.Claimed; apierrors.IsNotFound(err) && w != nil {
		return fmt.Errorf("the API server has no %s.%s in version %s", w.Plural, w.Group, w.Version)
	}
	return err
}

// besides returns what is filmed besides the primary objects. A kind that is called like
// theirs, such as the Service of another group, is left out: the film knows objects by kind
// and name only.
func besides(r *infer.Record) []schema.GroupVersionResource {
	var filmed []schema.GroupVersionResource
	if r.Kind != "Service" {
		filmed = append(filmed, services)
	}
	if r.Kind != "Event" {
		filmed = append(filmed, events)
	}
	for _, w := range r.Workloads() {
		filmed = append(filmed, schema.GroupVersionResource{Group: w.Group, Version: w.Version, Resource: w.Plural})
	}
	return filmed
}

// createBeside creates what came with the sample. A run creates it in the controller's own
// namespace, too, where some programs read their ConfigMaps and Secrets at their start.
func (v *visitor) createBeside(ctx context.Context) error {
	for _, given := range v.Beside {
		namespaces := []string{Namespace}
		if namespaced, err := v.client.IsObjectNamespaced(given); err == nil && !namespaced && v.HasNoNamespace != nil {
			v.HasNoNamespace(given)
		}
		if v.record.Home != Namespace && v.record.Home != "" && (isCore(given, "ConfigMap") || isCore(given, "Secret")) {
			namespaces = append(namespaces, v.record.Home)
		}
		for _, namespace := range namespaces {
			object := given.DeepCopy()
			object.SetNamespace(namespace)
			if err := v.client.Create(ctx, object); err != nil {
				return &Refused{fmt.Sprintf("creating %s %s of the sample: %v", object.GetKind(), object.GetName(), err)}
			}
		}
	}
	return nil
}

// namespace returns the namespace of the objects of the resource, which may have none.
func (v *visitor) namespace() string {
	if v.cluster {
		return ""
	}
	return Namespace
}

// objects returns the client of the resource.
func (v *visitor) objects() dynamic.ResourceInterface {
	return v.dynamic.Resource(v.resource).Namespace(v.namespace())
}

// leaseNamespace returns the namespace of the Lease, or "" if it is the home.
func (v *visitor) leaseNamespace() string {
	if election := v.Profile.Spec.Launch.LeaderElection; election != nil {
		return election.Lease.Namespace
	}
	return ""
}

// recorded returns the record of everything that was done.
func (v *visitor) recorded() *infer.Record {
	v.observe()
	v.record.Log = v.log()
	return &v.record
}

// observe takes into the record what has happened so far.
func (v *visitor) observe() {
	v.record.Film = v.camera.filmed()
	v.record.Account = v.session.Recorder.Account(Namespace)
	v.record.Writes = v.session.Recorder.Writes(history.Query{Scenario: Namespace})
}

// leases records the Leases while the controller runs, because a released Lease no longer
// has its times.
func (v *visitor) leases(ctx context.Context) error {
	leases := &unstructured.UnstructuredList{}
	leases.SetAPIVersion("coordination.k8s.io/v1")
	leases.SetKind("LeaseList")
	if err := v.client.List(ctx, leases); err != nil {
		return fmt.Errorf("listing Leases: %w", err)
	}
	for i := range leases.Items {
		v.record.Leases = append(v.record.Leases, &leases.Items[i])
	}
	return nil
}

// log returns the lines that the controller wrote; nil if it wrote nothing.
func (v *visitor) log() []string {
	data, err := os.ReadFile(v.session.Log(Namespace, replica))
	text := strings.TrimRight(string(data), "\n")
	if err != nil || text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// writes counts the controller's writes after a record, without Leases and Events.
func (v *visitor) writes(after int64) (count int, last time.Time) {
	all := v.written(after)
	if len(all) == 0 {
		return 0, time.Time{}
	}
	return len(all), all[len(all)-1].End()
}

// written returns these writes.
func (v *visitor) written(after int64) []history.Request {
	return slices.DeleteFunc(v.session.Recorder.Requests(history.Query{Scenario: Namespace, After: after}), func(q history.Request) bool {
		return q.Effect != history.EffectEffective || q.IsElection() || q.Resource == "events"
	})
}
