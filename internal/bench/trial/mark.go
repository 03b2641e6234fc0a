package trial

import (
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

const (
	// ofOthers is the finalizer, and the annotation, that somebody else adds.
	ofOthers = "reconform.dev/of-others"
	// Marked is the finalizer that a mark adds, as in an outcome.
	Marked = ofOthers
	// HarmFinalizer is the path of a Divergence that reports a removed finalizer of somebody
	// else.
	HarmFinalizer = "finalizer of somebody else"
)

// mark adds a finalizer and an annotation of somebody else to an object.
func (r *run) mark(ctx context.Context, o operation, name string) error {
	return r.await(ctx, r.within, name+" is marked", func(ctx context.Context) (bool, error) {
		object, err := r.resourceOf(o).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		annotations := object.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[ofOthers] = "true"
		object.SetAnnotations(annotations)
		object.SetFinalizers(append(object.GetFinalizers(), ofOthers))
		_, err = r.resourceOf(o).Update(ctx, object, metav1.UpdateOptions{FieldManager: fieldManager})
		return err == nil, ignore(err, apierrors.IsConflict)
	})
}

// markHarm returns the finalizers of somebody else that are gone: from an object that is
// there, or with it. The last version of an object whose last finalizers were taken off is the
// one before, with the finalizers.
func markHarm(versions map[string][]version) []v1alpha1.Divergence {
	var all []v1alpha1.Divergence
	for key, object := range versions {
		last := object[len(object)-1]
		marked := slices.ContainsFunc(object, func(v version) bool {
			return v.GetUID() == last.GetUID() && slices.Contains(v.GetFinalizers(), ofOthers)
		})
		found := "the finalizer " + ofOthers + " is gone"
		if last.gone {
			found += ", and so is the object that it held"
		}
		if marked && (last.gone || !slices.Contains(last.GetFinalizers(), ofOthers)) {
			all = append(all, v1alpha1.Divergence{
				Kind: v1alpha1.DivergenceHarm, Object: key, Path: HarmFinalizer,
				Expected: "it stays until its owner takes it off", Found: found,
			})
		}
	}
	return all
}
