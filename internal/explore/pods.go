package explore

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// othersPods is the sort of plans in which a Pod of somebody else has the labels of a child's Pods.
const othersPods = "others-pods"

// podsPlans have a Pod of somebody else stand beside the object from before its creation, one plan for
// each Deployment and StatefulSet that is made for it. The Pod has the labels of the child's Pods, and
// no owner, such as a copy that somebody made to debug one. It is not of the child, so the controller
// must neither count it nor write it. The status of a child is not compared, because others write it,
// such as that of a PodDisruptionBudget. If the controller makes Pods itself, it may take this one for
// its own.
func podsPlans(recorded map[string]*Recording, operations []Operation, own v1alpha1.TrialTarget) ([]*Plan, error) {
	create := recorded["create"]
	if create == nil || !slices.ContainsFunc(operations, func(o Operation) bool { return o.Name == "create" }) {
		return nil, nil
	}
	made, err := objectsOf(create)
	if err != nil {
		return nil, err
	}
	object, _ := made[own.Resource+" "+own.Name].(map[string]any)
	var masks []v1alpha1.TrialMask
	for _, key := range slices.Sorted(maps.Keys(made)) {
		if resource, _, _ := strings.Cut(key, " "); resource == "pods" {
			return nil, nil
		} else if resource != own.Resource {
			masks = append(masks, v1alpha1.TrialMask{Object: anyEnding(key), Path: "status"})
		}
	}
	var all []*Plan
	for _, key := range slices.Sorted(maps.Keys(made)) {
		resource, _, _ := strings.Cut(key, " ")
		pod := podLike(made[key])
		if !slices.Contains([]string{"deployments.apps", "statefulsets.apps"}, resource) || pod == nil || !isOwnedBy(made[key], object) {
			continue
		}
		encoded, err := encode(pod)
		if err != nil {
			return nil, fmt.Errorf("making a Pod like those of %s: %w", key, err)
		}
		beside := *create
		beside.Steps = slices.Insert(slices.Clone(create.Steps), 0, v1alpha1.TrialOperation{Create: &v1alpha1.TrialObject{Object: encoded}})
		plan := beside.plan(othersPods, resource, "before it", fmt.Sprintf("somebody else has made a Pod with the labels of those of %s; all must be as without it", key))
		plan.Undisturbed.Masks = slices.Concat(plan.Undisturbed.Masks, masks)
		all = append(all, plan)
	}
	return all, nil
}

// podLike returns a Pod with the labels of those of a workload, or nil if these are not known. A label
// that is a hash is not in an outcome.
func podLike(workload any) map[string]any {
	fields, _ := workload.(map[string]any)
	labels, _, err := unstructured.NestedMap(fields, "spec", "template", "metadata", "labels")
	if err != nil || len(labels) == 0 {
		return nil
	}
	for _, value := range labels {
		if text, is := value.(string); !is || len(validation.IsValidLabelValue(text)) > 0 {
			return nil
		}
	}
	return map[string]any{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": map[string]any{"name": "pod-of-somebody-else", "labels": labels},
		"spec": map[string]any{"containers": []any{
			map[string]any{"name": "debug", "image": "registry.k8s.io/pause:3.10"},
		}},
	}
}
