package trial

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// HarmSelects is the path of a Divergence that reports a child which selects the Pods of another
// object, too.
const HarmSelects = "selector that matches the Pods of another object"

// selectsHarm returns the children whose selectors match the Pods of their owner and those of
// another object that the Trial created: a Service sends requests to both, and the controllers of
// two workloads take the Pods for theirs. Only children that one of the two objects owns count:
// what has no owner may be for all. What selects only the Pods of another object is left out, too:
// somebody may have wanted that. So is a selector with a value that the spec of its owner gives:
// the user chose it.
func selectsHarm(versions map[string][]version, created []string) []v1alpha1.Divergence {
	owners := map[types.UID]version{} // the objects that the Trial created, and that live
	for _, key := range created {
		if last, lives := lastOf(versions[key]); lives {
			owners[last.GetUID()] = last
		}
	}
	var all []v1alpha1.Divergence
	for key, object := range versions {
		child, lives := lastOf(object)
		selector := podSelector(child)
		own, owned := ownerAmong(child, owners)
		if !lives || selector == nil || !owned || isChosen(selector, own.Object["spec"]) {
			continue
		}
		var ofOwn bool
		var others []string
		for _, other := range versions {
			pods, lives := lastOf(other)
			of, owned := ownerAmong(pods, owners)
			found := podLabels(pods)
			switch {
			case !lives || !owned || found == nil || !selector.Matches(labels.Set(found)):
			case of.GetUID() == own.GetUID():
				ofOwn = true
			default:
				others = append(others, fmt.Sprintf("%s, which belongs to %s", pods.key(), of.key()))
			}
		}
		if ofOwn && len(others) > 0 {
			slices.Sort(others)
			all = append(all, v1alpha1.Divergence{
				Kind: v1alpha1.DivergenceHarm, Object: key, Path: HarmSelects,
				Expected: "it selects the Pods of " + own.key() + " only", Found: fmt.Sprintf("%s also selects the Pods of %s", selector, strings.Join(others, "; ")),
			})
		}
	}
	slices.SortFunc(all, func(a, b v1alpha1.Divergence) int { return strings.Compare(a.Object, b.Object) })
	return all
}

// isChosen says whether a value that a selector asks for is given somewhere in a spec.
func isChosen(selector labels.Selector, spec any) bool {
	requirements, _ := selector.Requirements()
	return profile.AnyText(spec, func(given string) bool {
		return slices.ContainsFunc(requirements, func(r labels.Requirement) bool { return r.Values().Has(given) })
	})
}

// created returns the objects that the Trial created, as in an outcome.
func (r *run) created() []string {
	operations := r.operations
	if d := r.disturbance; d != nil && d.meanwhile != nil {
		operations = append(slices.Clone(operations), *d.meanwhile)
	}
	var all []string
	for _, o := range operations {
		if o.object != nil {
			all = append(all, o.resource.GroupResource().String()+" "+o.name)
		}
	}
	return all
}

// lastOf returns the last version of an object, and whether it lives.
func lastOf(object []version) (last version, lives bool) {
	if len(object) == 0 {
		return version{Unstructured: &unstructured.Unstructured{}}, false
	}
	last = object[len(object)-1]
	return last, !last.gone && last.GetDeletionTimestamp() == nil
}

// ownerAmong returns which of these objects owns a child.
func ownerAmong(child version, owners map[types.UID]version) (version, bool) {
	for _, owner := range child.GetOwnerReferences() {
		if found, ok := owners[owner.UID]; ok {
			return found, true
		}
	}
	return version{}, false
}

// podSelector returns the selector for Pods of a kind that must select the Pods of one workload
// only. It is nil for all other kinds, and if the object has none.
func podSelector(v version) labels.Selector {
	switch v.resource {
	case "services":
		given, _, err := unstructured.NestedStringMap(v.Object, "spec", "selector")
		if err != nil || len(given) == 0 {
			return nil
		}
		return labels.SelectorFromSet(given)
	case "deployments.apps", "statefulsets.apps", "daemonsets.apps", "replicasets.apps", "poddisruptionbudgets.policy":
		given, found, err := unstructured.NestedMap(v.Object, "spec", "selector")
		if err != nil || !found {
			return nil
		}
		var selector metav1.LabelSelector
		if runtime.DefaultUnstructuredConverter.FromUnstructured(given, &selector) != nil {
			return nil
		}
		if read, err := metav1.LabelSelectorAsSelector(&selector); err == nil {
			return read
		}
	}
	return nil
}

// podLabels returns the labels of the Pods that an object makes, or those of a Pod; nil if it
// makes none.
func podLabels(v version) map[string]string {
	at := []string{"spec", "template", "metadata", "labels"}
	switch v.resource {
	case "pods":
		at = []string{"metadata", "labels"}
	case "cronjobs.batch":
		at = append([]string{"spec", "jobTemplate"}, at...)
	}
	found, _, err := unstructured.NestedStringMap(v.Object, at...)
	if err != nil || len(found) == 0 {
		return nil
	}
	return found
}
