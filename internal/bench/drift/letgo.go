package drift

import (
	"context"
	"errors"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// finds says whether a controller may find the object by the field.
func (c changed) finds() bool { return c.path.under("metadata.labels") }

// letGo reports the labels after whose change the controller has let go of the object, and
// returns them. A controller that selects its children by labels takes its owner reference
// off an object that it does not select any more, as a ReplicaSet does with a Pod. It is
// then not asked to restore the label.
func (r *run) letGo(ctx context.Context, missing []changed) ([]changed, error) {
	now, err := r.object.read(ctx)
	if errors.Is(err, errGone) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var let []changed
	for _, c := range missing {
		if c.finds() && c.owner != "" && controllerOf(now) == "" {
			r.tell(c.path.String(), v1alpha1.DriftNotAsked, c.inWords()+", and the controller let go of the object: it took its owner reference off")
			let = append(let, c)
		}
	}
	return let, nil
}

// controllerOf returns the UID of the owner that controls an object, or "".
func controllerOf(object *unstructured.Unstructured) types.UID {
	if owner := metav1.GetControllerOf(object); owner != nil {
		return owner.UID
	}
	return ""
}

// without returns the fields that are not among others.
func without(fields, others []changed) []changed {
	return slices.DeleteFunc(slices.Clone(fields), func(c changed) bool {
		return slices.ContainsFunc(others, func(other changed) bool { return other.path.String() == c.path.String() })
	})
}
