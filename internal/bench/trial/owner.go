package trial

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// HarmAdopted is the path of a Divergence about a child that should outlive its owner. The
// reference to the owner was removed when the owner was deleted, but the child got it again,
// and is deleted, too.
const HarmAdopted = "owner that is being deleted"

// HarmOwner is the path of a Divergence that reports a child which was taken from its owner.
const HarmOwner = "owner that lives"

// ownerHarm returns the children that were taken from an owner that lives: the reference to it
// is gone, or names an object that does not live, so the garbage collector deletes the child.
// A child that goes to another owner that lives is left out: somebody may have wanted that.
func ownerHarm(versions map[string][]version, living map[types.UID]bool) []v1alpha1.Divergence {
	var all []v1alpha1.Divergence
	for key, object := range versions {
		for i := 1; i < len(object); i++ {
			before, now := object[i-1], object[i]
			if now.gone || now.GetUID() != before.GetUID() {
				continue
			}
			had, has := metav1.GetControllerOfNoCopy(before), metav1.GetControllerOfNoCopy(now)
			if had == nil || !living[had.UID] || has != nil && (has.UID == had.UID || living[has.UID]) {
				continue
			}
			found := "the reference is gone"
			if has != nil {
				found = fmt.Sprintf("it names %s %s with another UID, which does not live", has.Kind, has.Name)
			}
			all = append(all, v1alpha1.Divergence{
				Kind: v1alpha1.DivergenceHarm, Object: key, Path: HarmOwner,
				Expected: fmt.Sprintf("the reference to %s %s, which lives, stays", had.Kind, had.Name), Found: found,
			})
			break
		}
	}
	return all
}

// adoptedHarm returns the children whose reference to an owner was taken off while that was
// being deleted, and that got it again.
func adoptedHarm(versions map[string][]version) []v1alpha1.Divergence {
	ending := map[types.UID]version{} // the first version that is being deleted
	for _, object := range versions {
		for _, v := range object {
			if _, known := ending[v.GetUID()]; !known && v.GetDeletionTimestamp() != nil {
				ending[v.GetUID()] = v
			}
		}
	}
	var all []v1alpha1.Divergence
	for key, object := range versions {
		for i := 1; i < len(object); i++ {
			before, now := object[i-1], object[i]
			has := metav1.GetControllerOfNoCopy(now)
			if now.gone || has == nil || before.GetUID() != now.GetUID() || ownedBy(before, has.UID) {
				continue
			}
			had := slices.ContainsFunc(object[:i], func(v version) bool { return v.GetUID() == now.GetUID() && ownedBy(v, has.UID) })
			if owner, ends := ending[has.UID]; had && ends && owner.before(now) {
				all = append(all, v1alpha1.Divergence{
					Kind: v1alpha1.DivergenceHarm, Object: key, Path: HarmAdopted,
					Expected: fmt.Sprintf("it stays without an owner while %s %s is being deleted", has.Kind, has.Name), Found: "it has the reference again",
				})
				break
			}
		}
	}
	return all
}

// withoutDisowned leaves out the broken rules that say of a child what its versions say, too.
func withoutDisowned(all []v1alpha1.Divergence) []v1alpha1.Divergence {
	return slices.DeleteFunc(all, func(d v1alpha1.Divergence) bool {
		return d.Path == v1alpha1.RuleDisowned && slices.ContainsFunc(all, func(other v1alpha1.Divergence) bool {
			return other.Path == HarmOwner && other.Object == d.Object
		})
	})
}
