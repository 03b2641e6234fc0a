package infer

import (
	"slices"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// Deed says what was done.
type Deed string

// The deeds. Each begins after the one before has had its effect.
const (
	Create    Deed = "create"    // a primary object
	Change    Deed = "change"    // a field of it
	Born      Deed = "born"      // an object with other values in the fields whose changes had no effect
	Rehearse  Deed = "rehearse"  // what scenarios will write: an object, or a field of it
	Label     Deed = "label"     // the object, with a label that means nothing
	Rest      Deed = "rest"      // nothing was done
	Lose      Deed = "lose"      // the main child of an object, which somebody deletes
	Unserve   Deed = "unserve"   // the Service of an object, which somebody deletes
	Occupy    Deed = "occupy"    // a name that a child should have, and then create the object
	Vacate    Deed = "vacate"    // that name again
	Disown    Deed = "disown"    // a main child, and then change its object
	Foreign   Deed = "foreign"   // like Occupy, with a main child of another controller
	Withhold  Deed = "withhold"  // readiness from the Pods of an object, and create it
	Stall     Deed = "stall"     // the rollout of an object whose Pods are ready: an image whose Pods never are
	Omit      Deed = "omit"      // the image from an object, which is only checked and not created
	Hinder    Deed = "hinder"    // the creation of a main child, by a Fault, and create an object
	Unhinder  Deed = "unhinder"  // end the Fault
	Delete    Deed = "delete"    // a primary object
	Interrupt Deed = "interrupt" // the process, by SIGINT
	Terminate Deed = "terminate" // the process, by SIGTERM
)

// Act is a deed, with the range of versions and requests in which its effects are.
type Act struct {
	Deed Deed
	// Object is the name of the object to which it was done.
	Object string
	// Path of the field that was changed, and its new value.
	Path string
	To   any
	// Anew is true if the object was deleted and created again with the value, because the
	// change was refused.
	Anew bool
	// Refused is the error message with which the API server refused it.
	Refused string
	// After and Until are versions of the store; AfterSeq and UntilSeq are numbers of records
	// of the history.
	After, Until       int64
	AfterSeq, UntilSeq int64
}

// Page is a page that a replica serves.
type Page struct {
	Port int
	// Scheme is http or https.
	Scheme string
	Path   string
	Code   int
	// WithToken is true if a token was sent, because the page wanted one.
	WithToken bool
	// Body of the answer, or the beginning of it.
	Body string
}

// Record of a visit.
type Record struct {
	// Kind of the primary object.
	Kind string
	// GoProgram is true if the controller is a program that Go built.
	GoProgram bool
	// CRD of the resource, and its version.
	CRD     *apiextensionsv1.CustomResourceDefinition
	Version *apiextensionsv1.CustomResourceDefinitionVersion
	// Claimed is the workload that a profile declares; nil if there is no profile yet.
	Claimed *v1alpha1.Workload
	// Workless says why there is no contract, if the controller made nothing with a Pod
	// template that a contract can name, but did write something; otherwise it is empty.
	Workless string
	// Unchanged are the fields of the sample that were not tried, because there are too many,
	// or because it took too long.
	Unchanged []string
	// Untried says what was not tried, or not finished, because the time of the visit was over.
	Untried []string
	// Sample is the object that the user gave.
	Sample *unstructured.Unstructured
	// Around is what the objects had besides their spec, as far as they seem to need it.
	Around map[string]any
	// Bare is true if an object with nothing besides its spec was enough, though the sample
	// had more.
	Bare bool
	// FixedName is the name that an object must have; empty if it may have any.
	FixedName string
	// Replicas are the numbers from 0 to MostReplicas that the API server accepts;
	// empty if that was not tried.
	Replicas []int32
	// Unfit are the fields that were taken out again. Rich is true if the base has all that
	// the sample has, because less was not enough. Unplayable says what still failed; empty
	// if nothing did.
	Unfit      []Unfit
	Rich       bool
	Unplayable string
	// Beside has the other objects that came with the sample.
	Beside []*unstructured.Unstructured
	// Film of the namespace, and the acts in order.
	Film Film
	Acts []Act
	// Looked is how long it took until the controller wrote something after it had been shown the
	// last change of its main child, if nothing else was done meanwhile. 0 if it wrote at once, or
	// nothing.
	Looked time.Duration
	// Account has the requests of the controller.
	Account history.Account
	// Writes of the controller, with their bodies.
	Writes []history.Write
	// Before are the pages that it served when the first object had just been made. Later
	// ones are in Pages.
	Before []Page
	// Hindering are the pages that it served just before the creation of a child was refused,
	// and Hindered those after it had been refused for a while.
	Hindering, Hindered []Page
	// Pages that it serves, and Ports on which it listens.
	Pages []Page
	Ports []int
	// Moved is what a start with other ports has shown; nil if there was none.
	Moved *Moved
	// Webhook that it should serve; nil if it need not serve one.
	Webhook *Webhook
	// OwnNetwork is true if all ports are the controller's own, because it has its own
	// network.
	OwnNetwork bool
	// Leases in its home, or in the namespaces where it has them, as they were last.
	Leases []*unstructured.Unstructured
	// Home of the controller.
	Home string
	// Log has the lines that it wrote.
	Log []string
	// Command that it was started with.
	Command []string
}

// Webhook is a webhook server of the controller.
type Webhook struct {
	Port int
	// OnlyConverts is true if it serves no admission webhooks.
	OnlyConverts bool
	// Problem says why the webhook cannot be asked anything; empty if it answers.
	Problem string
}

// acts returns the acts of some deeds, without those that were refused.
func (r *Record) acts(deeds ...Deed) []Act {
	return slices.DeleteFunc(slices.Clone(r.Acts), func(a Act) bool {
		return a.Refused != "" || !slices.Contains(deeds, a.Deed)
	})
}

// act returns the first act of a deed.
func (r *Record) act(deed Deed) (Act, bool) {
	if acts := r.acts(deed); len(acts) > 0 {
		return acts[0], true
	}
	return Act{}, false
}

// during returns the requests during an act.
func (r *Record) during(a Act) []history.Request {
	var requests []history.Request
	for n := range r.Account.Requests { // not a copy of each: a controller that never rests sends thousands
		if q := &r.Account.Requests[n]; q.Seq > a.AfterSeq && q.Seq <= a.UntilSeq {
			requests = append(requests, *q)
		}
	}
	return requests
}

// madeDuring returns the objects that the controller made during an act and that still
// exist after it, in the order of their creation.
func (r *Record) madeDuring(a Act) []*unstructured.Unstructured {
	return madeBy(r.during(a), r.Film.At(a.Until))
}

// madeBy returns those of the objects that the requests made, in the order of the requests.
func madeBy(requests []history.Request, objects map[Ref]*unstructured.Unstructured) []*unstructured.Unstructured {
	var made []*unstructured.Unstructured
	for _, q := range requests {
		if q.Verb != history.VerbCreate || q.Effect != history.EffectEffective || q.UID == "" {
			continue
		}
		for _, object := range objects {
			if object.GetUID() == q.UID {
				made = append(made, object)
			}
		}
	}
	return made
}

// ofKind returns the objects of a kind.
func ofKind(objects []*unstructured.Unstructured, kind string) []*unstructured.Unstructured {
	return slices.DeleteFunc(slices.Clone(objects), func(o *unstructured.Unstructured) bool { return o.GetKind() != kind })
}

// NothingMade is the reason for an act that the API server accepted, and that did
// not make the controller create anything.
const NothingMade = "the controller made nothing for it"

// NothingReady is the reason for an act that the API server accepted, but whose Pods did not
// become ready, unlike those of the sample.
const NothingReady = "its Pods did not become ready, and those of the sample did"

// Made tells whether the controller made a main child during an act.
func (r *Record) Made(a Act) bool {
	return len(ofKind(r.madeDuring(a), r.MainWorkload().Kind)) > 0
}
