package explore

import (
	"errors"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/trial"
)

// Plan is one operation with one disturbance at one point.
type Plan struct {
	Operation Operation
	// Disturb is what happens. If it is nil, nothing is disturbed: the operation itself must change
	// nothing.
	Disturb *v1alpha1.TrialDisturbance
	// Also is a second disturbance, or nil.
	Also *v1alpha1.TrialAlso `json:",omitempty"`
	// Undisturbed is the outcome that is expected.
	Undisturbed v1alpha1.TrialUndisturbed
	// Resources of the outcome.
	Resources []string
	// RestartAtEnd restarts the controller at the end, instead of touching its object. What that
	// does not repair is not a divergence.
	RestartAtEnd bool `json:",omitempty"`
	// Elsewhere is true for late events of objects that the controller makes in other operations
	// than this one.
	Elsewhere bool `json:",omitempty"`
	// Shown is true if a recording has shown already that it diverges.
	Shown bool `json:",omitempty"`
	// Smaller is true if the object has fewer fields than the sample.
	Smaller bool `json:",omitempty"`
	// Sort of the disturbance, such as crash or conflict.
	Sort string
	// Kind of the objects that are written or watched at the point.
	Kind string
	// Point and How say in words where and how it is disturbed.
	Point, How string
}

// InWords names a plan.
func (p *Plan) InWords() string {
	text := p.Operation.Name + ": " + p.Point + ": " + p.How
	if p.Smaller {
		text += " (a smaller object)"
	}
	return text
}

// plan returns a plan of this sort without its disturbance, which expects the outcome of the
// recording. point and how say in words where and how something is done.
func (r *Recording) plan(sort, kind, point, how string) *Plan {
	return &Plan{Operation: r.Operation, Undisturbed: *r.Undisturbed.DeepCopy(), Sort: sort, Kind: kind, Point: point, How: how}
}

// planAsCreated returns a plan without a disturbance, after which the outcome must be that of
// the creation. That a status names a wrong generation is a part of the outcome.
func (r *Recording) planAsCreated(create *Recording, sort, kind, how string) *Plan {
	plan := r.plan(sort, kind, "afterwards", how)
	plan.Undisturbed.Objects = create.Undisturbed.Objects
	plan.Undisturbed.Masks = maskedToo(create.Undisturbed.Masks, r.Undisturbed.Masks)
	plan.Undisturbed.Harms = slices.DeleteFunc(plan.Undisturbed.Harms, func(harm v1alpha1.TrialMask) bool {
		return (harm.Path == trial.HarmOldGeneration || harm.Path == trial.HarmNoGeneration) && !slices.Contains(create.Undisturbed.Harms, harm)
	})
	return plan
}

// collected are plans that were made one sort after the other, and what went wrong.
type collected struct {
	plans []*Plan
	errs  []error
}

func (c *collected) add(plans []*Plan, err error) {
	c.plans, c.errs = append(c.plans, plans...), append(c.errs, err)
}

// plan makes the plans of a target.
func (e *Exploration) plan(target *Target, operations []Operation, recorded map[string]*Recording, others []Other, wild []*restless) ([]*Plan, error) {
	own := target.own()
	var all collected
	for _, o := range operations {
		r := recorded[o.Name]
		if r == nil {
			continue // it could not be recorded, which is told
		}
		r.Idle = len(r.Writes) == 0
		all.add(r.plans(), nil)
		if e.target.elects() {
			all.add(r.leasePlans(), nil)
		}
		all.add(meanwhilePlans(recorded, r, others), nil)
		all.add(answerPlans(recorded, r, others, own), nil)
		all.add(markPlans(recorded, r), nil)
		all.add(target.meddledPlans(recorded, r))
	}
	noteElsewhere(recorded, all.plans)
	all.add(equalPlans(recorded, operations), nil)
	all.add(finishedPlans(recorded, operations))
	all.add(driftPlans(recorded, operations, e.target.Profile.HasContract()), nil)
	all.add(missedPlans(recorded, operations), nil)
	all.add(oncePlans(recorded, operations), nil)
	all.add(orphanPlans(recorded, operations, target))
	all.add(foregroundPlans(recorded, operations, own), nil)
	all.add(endingPlans(recorded, operations, own))
	all.add(stalePlans(recorded, operations, own), nil)
	all.add(slowListPlans(recorded, operations), nil)
	all.add(refusedPlans(recorded, operations), nil)
	all.add(hangPlans(recorded, operations), nil)
	all.add(closedPlans(recorded, operations), nil)
	all.add(gapPlans(recorded, operations))
	all.add(toldPlans(recorded, operations, target))
	all.add(backPlans(recorded, operations, own, target.Profile.HasContract()))
	all.add(templatePlans(recorded, operations, target.Profile))
	all.add(asNewPlans(recorded, operations, own))
	all.add(anotherPlans(recorded, own))
	all.add(target.longPlans(recorded, operations))
	all.add(heldPlans(recorded), nil)
	all.add(target.besidePlans(recorded, operations))
	all.add(takenPlans(recorded, operations))
	all.add(podsPlans(recorded, operations, own))
	all.add(latePlans(recorded, operations, target))
	all.add(e.restPlans(operations, wild))
	if e.options.Pairs {
		all.add(pairPlans(recorded, operations), nil)
	}
	if err := errors.Join(all.errs...); err != nil {
		return nil, err
	}
	plans := e.inTheseWays(all.plans)
	if err := noteShown(plans, recorded); err != nil {
		return nil, err
	}
	return distinct(plans)
}
