package explore

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/history"
)

// Deed says what was done.
type Deed string

// The deeds, of which each follows the one before once that has had its effect.
const (
	Create    Deed = "create"    // a primary object
	Change    Deed = "change"    // a field of it
	Born      Deed = "born"      // an object with other values in the fields that were changed in vain
	Rehearse  Deed = "rehearse"  // what scenarios will write: an object, or a field of it
	Label     Deed = "label"     // it, with a label that means nothing
	Rest      Deed = "rest"      // nothing was done
	Occupy    Deed = "occupy"    // a name that a child is to have, and then create the object
	Vacate    Deed = "vacate"    // it again
	Foreign   Deed = "foreign"   // the same with a main child of another controller
	Withhold  Deed = "withhold"  // readiness from the Pods of an object, and create it
	Omit      Deed = "omit"      // the image from an object, which is not created, but only checked
	Hinder    Deed = "hinder"    // the creation of a main child, by a Fault, and create an object
	Unhinder  Deed = "unhinder"  // end the Fault
	Delete    Deed = "delete"    // a primary object
	Interrupt Deed = "interrupt" // the process, by SIGINT
	Terminate Deed = "terminate" // the process, by SIGTERM
)

// Act is a deed, with the stretch in which its effects are.
type Act struct {
	Deed Deed
	// Object that it was done to, by name.
	Object string
	// Path of the field that was changed, and its value since.
	Path string
	To   any
	// Anew: the object was made anew with it, as a change was refused.
	Anew bool
	// Refused: the API server would not have it, in its words.
	Refused string
	// After and Until are versions of the store, the numbers of records of the history.
	After, Until       int64
	AfterSeq, UntilSeq int64
}

// Page that a replica serves.
type Page struct {
	Port int
	// Scheme is http or https.
	Scheme string
	Path   string
	Code   int
	// Shown: it was shown a token, which it wanted to see.
	Shown bool
	// Body, or the beginning of it.
	Body string
}

// Record of a visit.
type Record struct {
	// Kind of the primary object.
	Kind string
	// GoProgram: the controller is one that Go built.
	GoProgram bool
	// CRD of the resource, and its version.
	CRD     *apiextensionsv1.CustomResourceDefinition
	Version *apiextensionsv1.CustomResourceDefinitionVersion
	// Claimed is what plays the Deployment by a profile; nil where there is none yet.
	Claimed *v1alpha1.Workload
	// Sample is the object that was given.
	Sample *unstructured.Unstructured
	// Around is what the objects had beside their spec, and needed as far as was seen.
	Around map[string]any
	// Bare: an object with nothing beside its spec was enough, though the sample had more.
	Bare bool
	// FixedName is the one that an object must have; empty where it may have any.
	FixedName string
	// Replicas are the numbers that the API server takes, of 0 to MostReplicas; empty where
	// that was not tried.
	Replicas []int32
	// Unfit are the fields that were taken back. Rich: so was that the base has less than
	// the sample. Unplayable says what did not work all the same; empty where all did.
	Unfit      []Unfit
	Rich       bool
	Unplayable string
	// Beside are the other objects that came with the sample.
	Beside []*unstructured.Unstructured
	// Film of the namespace, and Acts in order.
	Film Film
	Acts []Act
	// Account of the requests of the controller.
	Account history.Account
	// Before are the pages that it served when the first object had just been made, and Pages
	// those after all changes of it.
	Before []Page
	// Pages that it serves, and Ports on which it listens.
	Pages []Page
	Ports []int
	// Webhook that it should serve; nil where it need not.
	Webhook *Webhook
	// OwnNetwork: the ports are those of the controller alone.
	OwnNetwork bool
	// Leases in its home, or where it has them, as they were last.
	Leases []*unstructured.Unstructured
	// Home of the controller.
	Home string
	// Log is what it wrote.
	Log []string
	// Command that it was started with.
	Command []string
}

// Webhook is a webhook server of the controller.
type Webhook struct {
	Port int
	// Problem says why nothing can be asked of it; empty where it answers.
	Problem string
}

// acts of some deeds that were not refused.
func (r *Record) acts(deeds ...Deed) []Act {
	return slices.DeleteFunc(slices.Clone(r.Acts), func(a Act) bool {
		return a.Refused != "" || !slices.Contains(deeds, a.Deed)
	})
}

// act is the first of a deed.
func (r *Record) act(deed Deed) (Act, bool) {
	if acts := r.acts(deed); len(acts) > 0 {
		return acts[0], true
	}
	return Act{}, false
}

// during are the requests of an act.
func (r *Record) during(a Act) []history.Request {
	return slices.DeleteFunc(slices.Clone(r.Account.Requests), func(q history.Request) bool {
		return q.Seq <= a.AfterSeq || q.Seq > a.UntilSeq
	})
}

// madeDuring are the objects that the controller made, and that are there after an act,
// in the order of their creation.
func (r *Record) madeDuring(a Act) []*unstructured.Unstructured {
	after := r.Film.At(a.Until)
	var made []*unstructured.Unstructured
	for _, q := range r.during(a) {
		if q.Verb != history.VerbCreate || q.Effect != history.EffectEffective || q.UID == "" {
			continue
		}
		for _, object := range after {
			if object.GetUID() == q.UID {
				made = append(made, object)
			}
		}
	}
	return made
}

// ofKind are the objects of a kind.
func ofKind(objects []*unstructured.Unstructured, kind string) []*unstructured.Unstructured {
	return slices.DeleteFunc(slices.Clone(objects), func(o *unstructured.Unstructured) bool { return o.GetKind() != kind })
}

// NothingMade is the reason of an act that the API server took, and for which the
// controller made nothing.
const NothingMade = "the controller made nothing for it"

// Made tells whether the controller made a main child during an act.
func (r *Record) Made(a Act) bool {
	return len(ofKind(r.madeDuring(a), r.MainWorkload().Kind)) > 0
}
