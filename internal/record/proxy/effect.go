package proxy

import (
	"maps"
	"reflect"

	"reconform.dev/reconform/internal/record/history"
)

// revisionAnnotation is written by the Deployment controller, on objects that the
// controller under test owns.
const revisionAnnotation = "deployment.kubernetes.io/revision"

// part is the part of an object that a request can change.
type part struct {
	subresource string
	hasStatus   bool // the status is a subresource
}

// compare says whether the object changed between two versions because of the put or
// patch.
func compare(before, after object, written part) history.Effect {
	// When the last finalizer is removed, the answer still has the old version, although
	// the object is gone.
	if before.resourceVersion() == after.resourceVersion() && before.uid() == after.uid() && !before.terminating() {
		return history.EffectNoop
	}
	if reflect.DeepEqual(written.of(before), written.of(after)) {
		return history.EffectNoop
	}
	return history.EffectEffective
}

// of returns the part of an object, without what others write. It does not change the
// object.
func (p part) of(o object) object {
	if p.subresource == "status" {
		return object{
			"uid":           o.uid(),
			"status":        o["status"],
			"managedFields": managedFields(o, func(subresource string) bool { return subresource == "status" }),
		}
	}

	masked := maps.Clone(o)
	if p.hasStatus || p.subresource != "" {
		delete(masked, "status")
	}
	metadata := maps.Clone(o.metadata())
	delete(metadata, "resourceVersion")
	delete(metadata, "managedFields")
	if annotations := o.annotations(); annotations[revisionAnnotation] != nil {
		annotations = maps.Clone(annotations)
		delete(annotations, revisionAnnotation)
		metadata["annotations"] = annotations
		if len(annotations) == 0 {
			delete(metadata, "annotations")
		}
	}
	masked["metadata"] = metadata
	masked["managedFields"] = managedFields(o, func(subresource string) bool {
		return subresource != "status" || !p.hasStatus
	})
	return masked
}

// managedFields returns the entries of the wanted subresources. Their times count too:
// only a write that changed something changes them.
func managedFields(o object, wanted func(subresource string) bool) []object {
	var entries []object
	for _, entry := range o.maps("metadata", "managedFields") {
		if wanted(entry.string("subresource")) {
			entries = append(entries, entry)
		}
	}
	return entries
}

// deletedAny says whether the deletion of a collection deleted any object that was not
// already terminating. The answer to such a deletion is the list of the objects it found.
func deletedAny(list object) bool {
	for _, item := range list.maps("items") {
		if !item.terminating() {
			return true
		}
	}
	return false
}
