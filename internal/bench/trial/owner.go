package trial

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// HarmOwner is the path of a Divergence that reports a child which was taken from its owner.
const HarmOwner = "owner that lives"

// ownerHarm returns the children that were taken from an owner that lives: the reference to it
// is gone, or names an object that does not live, so the garbage collector deletes the child.
// A child that goes to another owner that lives is left out: somebody may have wanted that.
func ownerHarm(versions map[string][]version, living map[types.UID]bool) []v1alpha1.Divergence {
	var all []v1alpha1.Divergence
	for key, object := range versions {
		for i, now := range object[min(1, len(object)):] {
			before := object[i]
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
