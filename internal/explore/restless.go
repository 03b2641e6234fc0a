package explore

import (
	"context"
	"fmt"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// neverRests is the sort of plans that report an operation after which the controller
// does not come to rest, although nobody disturbs it.
const neverRests = "rest"

// restless is the error of an operation after which the controller does not come to
// rest, although it does so after the creation. Nothing can be compared with its
// outcome, so it is not disturbed.
type restless struct {
	operation Operation
	runs      []*tried
}

func (e *restless) Error() string {
	return fmt.Sprintf("%s: it is not disturbed, because the controller does not come to rest after it anyway: %s", e.operation.Name, e.runs[0].unrest().Found)
}

// unrest returns how a Trial tells that the controller did not come to rest, or nil.
func (t *tried) unrest() *v1alpha1.Divergence {
	at := slices.IndexFunc(t.Divergences, func(d v1alpha1.Divergence) bool { return d.Kind == v1alpha1.DivergenceRestless })
	if at < 0 {
		return nil
	}
	return &t.Divergences[at]
}

// checkRest returns why nothing can be compared with the runs of an operation: in all
// of them, or in some, the controller did not come to rest.
func checkRest(o Operation, runs []*tried) error {
	wild := slices.DeleteFunc(slices.Clone(runs), func(run *tried) bool { return run.unrest() == nil })
	switch {
	case len(wild) == 0:
		return nil
	case o.Name == "create":
		return unrestedCreation(wild[0])
	case len(wild) < len(runs):
		return &failed{fmt.Errorf("%s: it is not disturbed, because the controller does not always come to rest after it: in %d of %d runs %s",
			o.Name, len(wild), len(runs), wild[0].unrest().Found)}
	}
	return &restless{o, wild}
}

// unrestedCreation is the error of a controller that cannot be explored: it does not
// even come to rest after an object was created.
func unrestedCreation(run *tried) error {
	return unfit{fmt.Errorf("create, undisturbed: the controller does not come to rest: %s", run.unrest().Found)}
}

// restPlans are plans for the operations after which the controller does not come to
// rest. Nothing else is compared. The recordings have carried them out already.
func (e *Exploration) restPlans(operations []Operation, all []*restless) ([]*Plan, error) {
	var plans []*Plan
	for _, one := range all {
		if one.operation.sort() == "restart" && !slices.ContainsFunc(operations, func(o Operation) bool { return o.Name == one.operation.Name }) {
			continue // it was recorded for the sake of others
		}
		outcome, err := undisturbed(one.runs)
		if err != nil {
			return nil, err
		}
		plan := &Plan{Operation: one.operation, Undisturbed: outcome, Sort: neverRests, Kind: "all", Point: "afterwards", How: "it must come to rest", Shown: true}
		plan.Undisturbed.Objects, plan.Undisturbed.Masks = "{}", []v1alpha1.TrialMask{{Object: "*"}}
		first := *one.runs[0] // the harm that it does on the way, too, is expected
		first.Divergences = []v1alpha1.Divergence{*first.unrest()}
		e.shown = append(e.shown, &finding{plan: plan, first: &first, came: len(one.runs), tries: len(one.runs), confirmed: true})
		plans = append(plans, plan)
	}
	return plans, nil
}

// concludeShown adds what the recordings have found, of the plans of this shard.
func (e *Exploration) concludeShown(ctx context.Context) {
	for _, f := range e.shown {
		if slices.Contains(e.planned, f.plan) {
			e.conclude(ctx, f)
		}
	}
}

// isShown says whether the recordings have carried out a plan.
func (e *Exploration) isShown(plan *Plan) bool {
	return slices.ContainsFunc(e.shown, func(f *finding) bool { return f.plan == plan })
}
