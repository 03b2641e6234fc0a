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
	"reconform.dev/reconform/internal/explore"
	"reconform.dev/reconform/internal/history"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/runner"
)

// Namespace of the visit.
const Namespace = "reconform-look"

// Plan of a visit.
type Plan struct {
	// Profile by which the controller is started.
	Profile *profile.Profile
	// CRD of the resource, and the version in which objects are written.
	CRD     *apiextensionsv1.CustomResourceDefinition
	Version *apiextensionsv1.CustomResourceDefinitionVersion
	// Spec of an object of this name: a whole one. The fields that decide about children
	// are known for all objects but the first.
	Spec func(name string, known explore.Known) map[string]any
	// Lean is the least that an object may do with; nil where that is not tried.
	Lean func(name string, known explore.Known) map[string]any
	// Around is what an object of this name has beside its spec: other fields of its root,
	// and labels and annotations. If it is nil, that is nothing.
	Around func(name string) map[string]any
	// Name of all objects. It is empty if any will do.
	Name string
	// OwnName is tried if an object of another name is refused, or gets nothing. If it
	// is empty, no other name is tried.
	OwnName string
	// Rehearse what scenarios will write, and take back from the profile what does not work.
	Rehearse bool
	// Beside are objects that must be there.
	Beside []*unstructured.Unstructured
	// Command as it was given.
	Command []string
	// Election is switched on.
	Election bool
	// Console shows what is done.
	Console *report.Console
}

// Fruitless says why a visit shows nothing: the controller does not start, or does
// nothing.
type Fruitless struct {
	Reason string
	// Lease says in what the declared Lease is not the one that it asked for; empty where
	// it is, or none is declared.
	Lease string
	// Log is what it wrote, without what is between the first lines and the last.
	Log []string
}

func (e *Fruitless) Error() string {
	if len(e.Log) == 0 {
		return e.Reason
	}
	return e.Reason + "; it wrote:\n    " + strings.Join(e.Log, "\n    ")
}

// Refused says why the API server takes no object.
type Refused struct{ Reason string }

func (e *Refused) Error() string { return e.Reason }

// NoWorkload says that there is no such resource as the profile has in place of Deployments.
type NoWorkload struct{ Reason string }

func (e *NoWorkload) Error() string { return e.Reason }

// Elsewhere says that the controller wants a Lease in a namespace that it may not see.
type Elsewhere struct{ Lease v1alpha1.LeaseName }

func (e *Elsewhere) Error() string {
	return fmt.Sprintf("the controller wants Lease %s in namespace %s", e.Lease.Name, e.Lease.Namespace)
}

// AtHome says that the controller serves the namespace that it lives in, and no other.
type AtHome struct{ Kind string }

func (e *AtHome) Error() string {
	return fmt.Sprintf("the controller asks for each %s in the namespace that it lives in, and nowhere else", e.Kind)
}

// Barred says that the controller needs to write cluster-scoped resources, and may not.
type Barred struct{ Resources []string }

func (e *Barred) Error() string {
	return fmt.Sprintf("the controller writes %s, which are cluster-scoped, and the bench refused that", strings.Join(e.Resources, ", "))
}

// visitor carries a visit out.
type visitor struct {
	Plan
	session  *runner.Session
	client   client.Client
	dynamic  dynamic.Interface
	resource schema.GroupVersionResource
	camera   camera
	record   explore.Record
	bare     bool          // without what is around a spec
	plays    int           // rehearsals up to now
	reaction time.Duration // from the creation of the first object to the first write
}

// Look at the controller of a session.
func Look(ctx context.Context, session *runner.Session, plan Plan) (_ *explore.Record, err error) {
	v := &visitor{Plan: plan, session: session}
	v.resource = schema.GroupVersionResource{Group: plan.CRD.Spec.Group, Version: plan.Version.Name, Resource: plan.CRD.Spec.Names.Plural}
	v.record = explore.Record{
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
	return v.recorded(), nil
}

// builtByGo tells whether the program of a profile is.
func builtByGo(p *profile.Profile) bool {
	program, err := p.Program()
	if err != nil {
		return false
	}
	_, err = buildinfo.ReadFile(program)
	return err == nil
}

// prepare the namespace, and the camera.
func (v *visitor) prepare(ctx context.Context) error {
	for _, name := range []string{Namespace, v.leaseNamespace()} {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1alpha1.LabelBench: v1alpha1.BenchMade}}}
		if err := v.client.Create(ctx, namespace); name != "" && err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("creating namespace %s: %w", name, err)
		}
	}
	other := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: explore.ProbeConfigMap, Namespace: Namespace}, Data: map[string]string{"LOOK": "seen"}}
	if err := v.client.Create(ctx, other); err != nil {
		return fmt.Errorf("creating a ConfigMap: %w", err)
	}
	for _, object := range v.Beside {
		object := object.DeepCopy()
		object.SetNamespace(Namespace)
		if err := v.client.Create(ctx, object); err != nil {
			return &Refused{fmt.Sprintf("creating %s %s of the sample: %v", object.GetKind(), object.GetName(), err)}
		}
	}
	filmed := []schema.GroupVersionResource{v.resource, services, events}
	for _, w := range v.record.Workloads() {
		filmed = append(filmed, schema.GroupVersionResource{Group: w.Group, Version: w.Version, Resource: w.Plural})
	}
	err := v.camera.film(ctx, v.dynamic, Namespace, filmed...)
	if w := v.record.Claimed; apierrors.IsNotFound(err) && w != nil {
		return &NoWorkload{fmt.Sprintf("the API server has no %s.%s in version %s", w.Plural, w.Group, w.Version)}
	}
	return err
}

// leaseNamespace is one beside the home; empty where the Lease is there.
func (v *visitor) leaseNamespace() string {
	if election := v.Profile.Spec.Launch.LeaderElection; election != nil {
		return election.Lease.Namespace
	}
	return ""
}

// recorded is the record of all that was done.
func (v *visitor) recorded() *explore.Record {
	v.record.Film = v.camera.filmed()
	v.record.Account = v.session.Recorder.Account(Namespace)
	v.record.Log = v.log()
	return &v.record
}

// leases as they are while the controller runs: one that is released forgets its times.
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

// log is what the controller wrote.
func (v *visitor) log() []string {
	data, err := os.ReadFile(v.session.Log(Namespace, replica))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimRight(string(data), "\n"), "\n")
}

func (v *visitor) fruitless(format string, args ...any) error {
	lease := ""
	if v.Profile.Has("leader-election") {
		lease = explore.LeaseProblem(v.Profile, v.session.Recorder.Account(Namespace), v.record.Home)
	}
	return &Fruitless{Reason: fmt.Sprintf(format, args...) + v.refusals(), Lease: lease, Log: ends(v.log())}
}

// ends are the first lines and the last: a program that takes no such argument says so
// first, and then which it takes.
func ends(lines []string) []string {
	const few = 5
	if len(lines) <= 2*few {
		return lines
	}
	between := fmt.Sprintf("… %d lines …", len(lines)-2*few)
	return slices.Concat(lines[:few], []string{between}, lines[len(lines)-few:])
}

// refusals are the requests that were refused, in words.
func (v *visitor) refusals() string {
	const most = 3
	var words []string
	known := map[string]bool{}
	for _, q := range v.session.Recorder.Account(Namespace).Requests {
		text := fmt.Sprintf("%s %s: %d %s", q.Verb, q.Path, q.Code, q.Message)
		if q.Failed() && q.Code != 404 && q.Code != 409 && q.Fault == "" && !known[text] && len(words) < most {
			known[text] = true
			words = append(words, text)
		}
	}
	if len(words) == 0 {
		return ""
	}
	return "; requests that were refused: " + strings.Join(words, "; ")
}

// writes of the controller after a record, Leases and Events aside.
func (v *visitor) writes(after int64) (count int, last time.Time) {
	for _, q := range v.session.Recorder.Requests(history.Query{Scenario: Namespace, After: after}) {
		if q.Effect == history.EffectEffective && q.Resource != "leases" && q.Resource != "events" {
			count++
			last = q.Time.Add(q.Duration.Duration)
		}
	}
	return count, last
}
