package trial

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// HarmLeftBehind is the Path of a Divergence: a child still existed after its owner was
// gone. A controller that keeps its finalizer until all children are deleted never does
// this harm.
const HarmLeftBehind = "child that outlived its owner"

// HarmLateCleanup is the Path of a Divergence: the subject deletes a child itself, but only
// when the owner is gone. If its process ends between the two, nobody does the rest of the
// cleanup. A garbage collector that deletes the child first may hide this.
const HarmLateCleanup = "cleanup that comes after its finalizer"

// behindHarm returns a divergence for each child that still existed, and was not being
// deleted, when its owner was gone, or that was made afterwards. It ignores owners that
// never had a finalizer: the garbage collector deletes their children. It returns
// nothing if the subject is kept in the past to the end: perhaps it could not know that the
// owner is gone. It also ignores what is left to the garbage collector by a subject that
// does so anyway.
func (r *run) behindHarm(account history.Account, versions map[string][]version, names history.Generated) []v1alpha1.Divergence {
	if d := r.disturbance; d != nil && d.lasts && !d.Lasting {
		return nil
	}
	var all []v1alpha1.Divergence
	for _, o := range r.operations {
		own := o.resource.GroupResource().String() + " " + o.name
		if o.object == nil {
			continue
		}
		for _, owner := range versions[own] {
			if owner.gone && hadFinalizer(owner, versions[own]) {
				all = append(all, r.leftBehind(own, owner, account, versions, names)...)
			}
		}
	}
	return all
}

// leftBehind is behindHarm for the children of one owner, whose key is own, and which is gone.
func (r *run) leftBehind(own string, owner version, account history.Account, versions map[string][]version, names history.Generated) []v1alpha1.Divergence {
	var all []v1alpha1.Divergence
	for key, child := range versions {
		found, made := outlived(owner, child)
		if key == own || found == "" {
			continue
		}
		harm := HarmLeftBehind
		switch q := lateDeletion(account, owner, child); {
		case q != "":
			found, harm = q+", when "+own+" was gone", HarmLateCleanup
		case !made && leavesToCollector(r.spec.Undisturbed, names.Object(key)):
			continue
		}
		all = append(all, v1alpha1.Divergence{
			Kind: v1alpha1.DivergenceHarm, Object: key, Path: harm, Found: found,
			Expected: "it goes before " + own + " goes",
		})
	}
	return all
}

// leavesToCollector tells whether the subject leaves children to the garbage collector
// without the disturbance, and does not delete this one itself then. Its finalizer is there
// for something else. Which of its children live when their owner goes may depend on chance.
func leavesToCollector(u *v1alpha1.TrialUndisturbed, child string) bool {
	return u != nil && !expects(u.Deletions, child) && slices.ContainsFunc(u.Harms, func(usual v1alpha1.TrialMask) bool { return usual.Path == HarmLeftBehind })
}

// lateDeletion returns, in words, the request with which the subject deleted a child that was
// still there when its owner was gone. It returns "" if there is none.
func lateDeletion(account history.Account, owner version, child []version) string {
	for _, v := range child {
		if !v.before(owner) || !ownedBy(v, owner.GetUID()) {
			continue
		}
		for _, q := range account.Requests {
			if deletes(q) && q.UID == v.GetUID() {
				return q.InWords()
			}
		}
	}
	return ""
}

// hadFinalizer tells whether an object that is gone ever had a finalizer, apart from those of
// the bench and of the garbage collector.
func hadFinalizer(owner version, all []version) bool {
	others := []string{ofOthers, metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents}
	return slices.ContainsFunc(all, func(v version) bool {
		return v.GetUID() == owner.GetUID() && slices.ContainsFunc(v.GetFinalizers(), func(f string) bool { return !slices.Contains(others, f) })
	})
}

// outlived says, in words, how a child outlived its owner, and whether it was made when its
// owner was gone. It returns "" if the child did not outlive it.
func outlived(owner version, child []version) (how string, made bool) {
	was := version{}
	for _, v := range child {
		switch {
		case v.before(owner):
			was = v
		case ownedBy(v, owner.GetUID()) && !v.gone && (was.gone || !ownedBy(was, owner.GetUID())):
			return fmt.Sprintf("it was made after %s was gone", owner.key()), true
		}
	}
	if was.Unstructured == nil || was.gone || was.GetDeletionTimestamp() != nil || !ownedBy(was, owner.GetUID()) {
		return "", false
	}
	return fmt.Sprintf("it was left to the garbage collector when %s was gone", owner.key()), false
}

// ownedBy says whether an object with this UID controls a version.
func ownedBy(v version, owner types.UID) bool {
	return v.Unstructured != nil && slices.ContainsFunc(v.GetOwnerReferences(), func(reference metav1.OwnerReference) bool {
		return reference.UID == owner && reference.Controller != nil && *reference.Controller
	})
}
