package explore

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/bystander"
	"reconform.dev/reconform/internal/bench/trial"
	"reconform.dev/reconform/internal/record/history"
)

// nameTaken is the sort of plans in which an object of somebody else has the name of a child.
const nameTaken = "name-taken"

// takenPlans have an object of somebody else stand under the name of each child before the
// object is created. The controller must leave it alone, also when the object is deleted; if
// deletions are not explored, only until then. That it writes other objects of somebody else
// without this, too, is no excuse. What it makes instead, and what it reports, is
// not compared. Only children with an owner count: others may be shared on purpose.
func takenPlans(recorded map[string]*Recording, operations []Operation) ([]*Plan, error) {
	create := recorded["create"]
	if create == nil {
		return nil, nil
	}
	last := create
	for _, name := range []string{"create", "delete"} {
		if recorded[name] != nil && slices.ContainsFunc(operations, func(o Operation) bool { return o.Name == name }) {
			last = recorded[name]
		}
	}
	if !slices.ContainsFunc(operations, func(o Operation) bool { return o.Name == last.Name }) {
		return nil, nil
	}
	made, err := objectsOf(create)
	if err != nil {
		return nil, err
	}
	var all []*Plan
	for _, w := range create.Writes {
		child := v1alpha1.TrialTarget{Resource: w.Resource, Name: w.Name}
		if w.Verb != history.VerbCreate || w.Subresource != "" || strings.ContainsAny(w.Name, "*?") ||
			!isOwned(made[w.Resource+" "+w.Name]) || !bystander.Has(schema.ParseGroupResource(w.Resource)) {
			continue
		}
		taken := *last
		taken.Steps = slices.Insert(slices.Clone(last.Steps), 0, v1alpha1.TrialOperation{Take: &child})
		plan := taken.plan(nameTaken, w.Resource, "before it", fmt.Sprintf("somebody else has made %s %s, which must be left alone", w.Resource, w.Name))
		plan.Undisturbed.Objects, plan.Undisturbed.Masks, plan.Undisturbed.Writes = "{}", []v1alpha1.TrialMask{{Object: "*"}}, 0
		plan.Undisturbed.Harms = append(withoutHarm(plan.Undisturbed.Harms, v1alpha1.RuleForeignObject),
			// What is in the way stays. So the spec may never be reached, and the status may say so.
			v1alpha1.TrialMask{Object: "*", Path: trial.HarmOldGeneration})
		all = append(all, plan)
	}
	return all, nil
}
