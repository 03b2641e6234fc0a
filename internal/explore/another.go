package explore

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/trial"
	"reconform.dev/reconform/internal/profile"
)

const (
	// another is the name of the operation that creates another object of the same kind.
	another = "another"
	// anotherName is the name of that object. It begins like that of the first one: whoever
	// finds the children of an object by how their names begin takes one for the other's.
	anotherName = sampleName + "-2"
	// longNames is the sort of plans in which two more objects of the same kind have long names
	// that differ at their ends only.
	longNames = "long-names"
)

// longName returns one of two names of 55 characters, which leave room for the endings of names of
// children.
func longName(last string) string { return sampleName + "-" + strings.Repeat("n", 49) + last }

// besideOf returns an object of this name beside the sample, and before it the objects that it needs and
// that are not there yet. It returns nothing if a namespace can have only one object of this kind,
// or if the kind is cluster-scoped.
func besideOf(p *profile.Profile, served profile.Served, name string, already []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	if p.FixedName() != "" || p.Spec.Launch.OnePerNamespace || p.ServesCluster() {
		return nil, nil
	}
	all, err := served.Beside(name)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(o *unstructured.Unstructured) bool {
		return slices.ContainsFunc(already, func(there *unstructured.Unstructured) bool {
			return there.GroupVersionKind() == o.GroupVersionKind() && there.GetName() == o.GetName()
		})
	})
	object, err := served.Object(name)
	if err != nil {
		return nil, fmt.Errorf("making another object: %w", err)
	}
	return append(all, object), nil
}

// withAnother returns operations: the creation of the sample and then of another object, and
// the same with the deletion of the other object at its end, or with an edit of it. Only the
// state after them is used.
func (t *Target) withAnother(operations []Operation) ([]Operation, error) {
	at := slices.IndexFunc(operations, func(o Operation) bool { return o.Name == "create" })
	if at < 0 || len(t.Another) == 0 {
		return nil, nil
	}
	created := operations[at]
	created.Name, created.Steps = another, slices.Clone(created.Steps)
	steps, err := creates(t.Another)
	if err != nil {
		return nil, err
	}
	created.Steps = append(created.Steps, steps...)
	other := v1alpha1.TrialTarget{Resource: t.Resource, Name: anotherName}
	all := []Operation{created, created.after("delete", v1alpha1.TrialOperation{Delete: &other})}
	if len(t.AnotherEdits) > 0 {
		step, err := edit{t.AnotherEdits[0], other}.step(t.AnotherEdits[0].Patch)
		if err != nil {
			return nil, err
		}
		all = append(all, created.after("edit", step))
	}
	return all, nil
}

// anotherPlans returns two plans. In both, an object and its children must be as they were after
// its creation: while another object of its kind is there, and after that one was deleted. The
// objects that only the other one has made are not compared. While the other one is there, two
// more things are not compared: the objects that both share, and the status of the first one,
// because a controller may let them take turns.
func anotherPlans(recorded map[string]*Recording, own v1alpha1.TrialTarget) ([]*Plan, error) {
	create := recorded["create"]
	if create == nil {
		return nil, nil
	}
	var all []*Plan
	for _, name := range []string{another, another + " then delete"} {
		r := recorded[name]
		if r == nil {
			continue
		}
		states, err := outcomesOf(create, r)
		if err != nil {
			return nil, err
		}
		before, after := states[0], states[1]
		plan := r.planAsCreated(create, another, "all", "the first one must be as after its creation")
		usual := create.Undisturbed.Harms
		if name != another {
			usual = append(slices.Clone(usual), usualAtTheEnd(recorded["delete"], r)...)
		}
		plan.Undisturbed.Harms = expected(usual, r.Undisturbed.Harms, func(one, other v1alpha1.TrialMask) bool {
			return one.Path == other.Path && resourceIn(one.Object) == resourceIn(other.Object)
		})
		plan.Undisturbed.Deletions = expected(create.Undisturbed.Deletions, r.Undisturbed.Deletions, func(one, other string) bool {
			return resourceIn(one) == resourceIn(other)
		})
		mask := func(object, path string) {
			plan.Undisturbed.Masks = append(plan.Undisturbed.Masks, v1alpha1.TrialMask{Object: object, Path: path})
		}
		for object := range after {
			if _, first := before[object]; !first {
				mask(anyEnding(object), "")
			}
		}
		if name == another {
			mask(own.Resource+" "+own.Name, "status")
			for _, object := range shared(before, after, own) {
				mask(object, "")
			}
		}
		all = append(all, plan)
	}
	return all, nil
}

// usualAtTheEnd is the harm that is done when the first object is deleted. If that was not recorded, it
// is not known whether its children are left to the garbage collector: then those of the other one may be.
func usualAtTheEnd(deletion, otherDeleted *Recording) []v1alpha1.TrialMask {
	if deletion != nil {
		return deletion.Undisturbed.Harms
	}
	return slices.DeleteFunc(slices.Clone(otherDeleted.Undisturbed.Harms), func(harm v1alpha1.TrialMask) bool { return harm.Path != trial.HarmLeftBehind })
}

// longPlans returns a plan in which two more objects of the same kind have long names that begin alike.
// Nothing is compared, because long names may be refused: only what harms another object is told. If
// the creation does harm anyway, there is no such plan.
func (t *Target) longPlans(recorded map[string]*Recording, operations []Operation) ([]*Plan, error) {
	create := recorded["create"]
	disturbed := slices.ContainsFunc(operations, func(o Operation) bool { return o.Name == "create" })
	if create == nil || !disturbed || len(t.Long) == 0 || len(create.Undisturbed.Harms)+len(create.Undisturbed.Deletions) > 0 {
		return nil, nil
	}
	steps, err := creates(t.Long)
	if err != nil {
		return nil, err
	}
	long := *create
	long.Steps = slices.Concat(create.Steps, steps)
	plan := long.plan(longNames, "all", "afterwards", "two objects with long names, which begin alike, are created beside it; none may harm another")
	plan.Undisturbed.Objects, plan.Undisturbed.Masks, plan.Undisturbed.Writes = "{}", []v1alpha1.TrialMask{{Object: "*"}}, 0
	return []*Plan{plan}, nil
}

// expected returns what happened at the creation. It adds what happened with another object, if
// it is like something of the creation: then the same happened to the other object.
func expected[T any](atCreation, withAnother []T, alike func(one, other T) bool) []T {
	return append(slices.Clone(atCreation), slices.DeleteFunc(slices.Clone(withAnother), func(other T) bool {
		return !slices.ContainsFunc(atCreation, func(one T) bool { return alike(one, other) })
	})...)
}

// shared returns the objects that two objects of one kind may share: those that nobody owns, and those
// that both own when both are there. Before is the outcome with the first one, and after with both.
func shared(before, after map[string]any, own v1alpha1.TrialTarget) []string {
	first, _ := after[own.Resource+" "+own.Name].(map[string]any)
	other, _ := after[own.Resource+" "+anotherName].(map[string]any)
	var all []string
	for object, content := range before {
		if object != own.Resource+" "+own.Name && (!isOwned(content) || isOwnedBy(after[object], first) && isOwnedBy(after[object], other)) {
			all = append(all, object)
		}
	}
	return all
}

// isOwned says whether an object of an outcome has an owner.
func isOwned(content any) bool {
	fields, _ := content.(map[string]any)
	owners, _, _ := unstructured.NestedSlice(fields, "metadata", "ownerReferences")
	return len(owners) > 0
}
