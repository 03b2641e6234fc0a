package explore

import (
	"encoding/json"
	"fmt"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// inWords says what the steps of an operation do, one text for each.
func (o Operation) inWords() []string {
	var all []string
	for _, step := range o.Steps {
		all = append(all, stepInWords(step))
	}
	return all
}

// stepInWords says what one step does.
func stepInWords(step v1alpha1.TrialOperation) string {
	named := func(verb string, target *v1alpha1.TrialTarget) string {
		return fmt.Sprintf("%s %s %s", verb, target.Resource, target.Name)
	}
	switch {
	case step.Create != nil:
		return "create " + objectInWords(step.Create)
	case step.Recreate != nil:
		return "delete and create again " + objectInWords(step.Recreate)
	case step.Patch != nil:
		resource := step.Patch.Resource
		if step.Patch.Subresource != "" {
			resource += "/" + step.Patch.Subresource
		}
		return fmt.Sprintf("patch %s %s with %s", resource, step.Patch.Name, step.Patch.Patch.Raw)
	case step.Delete != nil:
		return named("delete", step.Delete)
	case step.Orphan != nil:
		return named("delete, and leave the children of,", step.Orphan)
	case step.Foreground != nil:
		return named("delete, after its children,", step.Foreground)
	case step.Drift != nil:
		return named(driftInWords(step.Drift.Fields), &step.Drift.TrialTarget)
	case step.DeleteChild != nil:
		return named("somebody else deletes", step.DeleteChild)
	case step.Take != nil:
		return named("somebody else creates, under the name of a child,", step.Take)
	case step.Mark != nil:
		return named("somebody else marks", step.Mark)
	case step.Restart != nil:
		return "restart the controller"
	case step.Failover != nil:
		return "kill the leader"
	}
	return "something else"
}

// driftInWords says which fields somebody else changes.
func driftInWords(fields v1alpha1.TrialDriftFields) string {
	switch fields {
	case v1alpha1.DriftAll:
		return "somebody else changes all fields that were set of"
	case v1alpha1.DriftLabels:
		return "somebody else changes the labels of"
	}
	return "somebody else changes"
}

// objectInWords names an object.
func objectInWords(object *v1alpha1.TrialObject) string {
	var named struct {
		Kind     string `json:"kind"`
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(object.Object.Raw, &named); err != nil {
		return "an object"
	}
	return named.Kind + " " + named.Metadata.Name
}

// stepName names a step in the name of an operation.
func stepName(step v1alpha1.TrialOperation) string {
	switch {
	case step.Patch != nil:
		return "edit"
	case step.Restart != nil:
		return "restart"
	case step.Failover != nil:
		return "failover"
	case step.Delete != nil, step.Orphan != nil, step.Foreground != nil:
		return "delete"
	case step.Drift != nil:
		return "drift"
	case step.DeleteChild != nil:
		return "delete-child"
	case step.Recreate != nil:
		return "recreate"
	case step.Take != nil:
		return "take"
	}
	return "create"
}
