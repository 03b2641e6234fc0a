package trial

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// HarmLeftBehind is the path of a child that lived on when its owner went. A controller that
// holds its object with a finalizer until all is cleaned up never shows it.
const HarmLeftBehind = "child that outlived its owner"

// behindHarm returns the children that were there, and not being deleted, when the object
// that owned them was gone, or that were made afterwards. While the subject is kept in the
// past, it cannot know that the object is gone. A controller that puts no finalizer on its
// object leaves all to the garbage collector.
func (r *run) behindHarm(versions map[string][]version) []v1alpha1.Divergence {
	if r.disturbance != nil && r.disturbance.lasts {
		return nil
	}
	var all []v1alpha1.Divergence
	for _, o := range r.operations {
		own := o.resource.GroupResource().String() + " " + o.name
		if o.object == nil {
			continue
		}
		for _, owner := range versions[own] {
			if !owner.gone || !held(owner, versions[own]) {
				continue
			}
			for key, child := range versions {
				if found := outlived(owner, child); key != own && found != "" {
					all = append(all, v1alpha1.Divergence{
						Kind: v1alpha1.DivergenceHarm, Object: key, Path: HarmLeftBehind, Found: found,
						Expected: "it goes before " + own + " goes",
					})
				}
			}
		}
	}
	return all
}

// held says whether an object that is gone ever had a finalizer, beside that of the bench.
func held(owner version, all []version) bool {
	return slices.ContainsFunc(all, func(v version) bool {
		return v.GetUID() == owner.GetUID() && slices.ContainsFunc(v.GetFinalizers(), func(f string) bool { return f != ofOthers })
	})
}

// outlived says how a child was there after its owner was gone; "" if it was not.
func outlived(owner version, child []version) string {
	was := version{}
	for _, v := range child {
		switch {
		case v.before(owner):
			was = v
		case ownedBy(v, owner.GetUID()) && !v.gone && (was.gone || !ownedBy(was, owner.GetUID())):
			return fmt.Sprintf("it was made after %s was gone", owner.key())
		}
	}
	if was.Unstructured == nil || was.gone || was.GetDeletionTimestamp() != nil || !ownedBy(was, owner.GetUID()) {
		return ""
	}
	return fmt.Sprintf("it was left to the garbage collector when %s was gone", owner.key())
}

// ownedBy says whether an object with this UID controls a version.
func ownedBy(v version, owner types.UID) bool {
	return v.Unstructured != nil && slices.ContainsFunc(v.GetOwnerReferences(), func(reference metav1.OwnerReference) bool {
		return reference.UID == owner && reference.Controller != nil && *reference.Controller
	})
}
