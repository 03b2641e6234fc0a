package infer

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// stranger is what the controller did with an object that nobody owns and that has the name
// of its child.
type stranger struct {
	// policy is "" if that was not tried.
	policy v1alpha1.OwnershipPolicy
	// tried is a write of it that the API server refused, in words: the controller itself did
	// not refuse, and would take over an object that fits.
	tried string
	// overwritten is its deletion, or a write of it after which it still had no owner, in
	// words. That is neither refuse nor adopt: it is changed, and is no child.
	overwritten string
	// byLabels is true if only a child was taken that had lost its owner.
	byLabels bool
}

// unowned says what the controller does with an object that nobody owns. A controller that
// leaves alone what only has the name of its child may still own a child again that has lost
// its owner: it knows the child by its labels. That is adopt, too: with refuse in the profile, it
// would be judged by what it does with such children.
func (r *Record) unowned() stranger {
	s := r.occupied()
	if s.policy == v1alpha1.OwnershipRefuse && s.overwritten == "" && r.ownedAgain() {
		return stranger{policy: v1alpha1.OwnershipAdopt, byLabels: true}
	}
	return s
}

// ownedAgain tells whether a child whose owner reference was taken off got one again, by a
// write of the controller.
func (r *Record) ownedAgain() bool {
	act, ok := r.act(Disown)
	if !ok {
		return false
	}
	before, after := r.Film.At(act.After), r.Film.At(act.Until)
	ref := r.mainIn(before, act.Object)
	was, is := before[ref], after[ref]
	if was == nil || is == nil || is.GetUID() != was.GetUID() || !r.isOwnedBy(is, act.Object) {
		return false
	}
	return slices.ContainsFunc(r.during(act), func(q history.Request) bool {
		return q.UID == is.GetUID() && q.Effect == history.EffectEffective && q.Subresource == ""
	})
}

// isOwnedBy tells whether a child has an owner reference to a primary object.
func (r *Record) isOwnedBy(child *unstructured.Unstructured, object string) bool {
	return slices.ContainsFunc(child.GetOwnerReferences(), func(o metav1.OwnerReference) bool { return r.Owns(o, object) })
}

// Owns tells whether an owner reference names a primary object. Another group may have a kind of
// the same name.
func (r *Record) Owns(owner metav1.OwnerReference, object string) bool {
	group, _, _ := strings.Cut(owner.APIVersion, "/")
	return owner.Kind == r.Kind && owner.Name == object && (r.CRD == nil || group == r.CRD.Spec.Group)
}

// LeavesStrangers tells whether the controller left alone an object that had the name of its
// child and that nobody owned.
func (r *Record) LeavesStrangers() bool {
	s := r.occupied()
	return s.policy == v1alpha1.OwnershipRefuse && s.overwritten == ""
}

// occupied says what the controller did with an existing object that had the name of its
// child.
func (r *Record) occupied() stranger {
	act, ok := r.act(Occupy)
	if !ok {
		return stranger{}
	}
	before, after := r.Film.At(act.After), r.Film.At(act.Until)
	for ref, was := range before {
		if was.GetLabels()[StrangerLabel] == "" {
			continue
		}
		w, _ := r.workload(ref.Kind)
		is, seen := after[ref], stranger{policy: v1alpha1.OwnershipRefuse}
		for _, q := range r.during(act) {
			switch {
			case q.UID == was.GetUID() && q.Verb == history.VerbDelete && q.Effect == history.EffectEffective:
				seen.overwritten = q.InWords()
				return seen
			case is != nil && q.UID == is.GetUID() && q.Effect == history.EffectEffective:
				if r.ownsByReference() && !r.isOwnedBy(is, act.Object) {
					seen.overwritten = q.InWords()
					continue
				}
				return stranger{policy: v1alpha1.OwnershipAdopt}
			case isOf(q, w) && q.Name == ref.Name && q.Verb == history.VerbUpdate && q.Effect == history.EffectRefused:
				seen.tried = fmt.Sprintf("%s (%d %s)", q.InWords(), q.Code, q.Message)
			}
		}
		if seen.tried != "" && seen.overwritten == "" {
			seen.policy = v1alpha1.OwnershipAdopt
		}
		return seen
	}
	return stranger{}
}

// ownsByReference tells whether the main child of the first object got an owner reference to
// it.
func (r *Record) ownsByReference() bool {
	first, ok := r.act(Create)
	if !ok {
		return false
	}
	at := r.Film.At(first.Until)
	child := at[r.mainIn(at, first.Object)]
	return child != nil && r.isOwnedBy(child, first.Object)
}
