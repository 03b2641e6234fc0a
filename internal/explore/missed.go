package explore

import (
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// missedPlans compare the outcome of the creation with that of a restart after it, if two
// recordings of the creation differ where those of the restart do not: then a process that
// was there from the beginning may have missed something, and a new one has not. A controller
// that comes to this by itself in some runs, and in others only by a restart, depends on chance.
func missedPlans(recorded map[string]*Recording, operations []Operation) []*Plan {
	create, restart := recorded["create"], recorded["restart"]
	disturbed := slices.ContainsFunc(operations, func(o Operation) bool { return o.Name == "create" })
	if create == nil || restart == nil || !disturbed {
		return nil
	}
	restarted := uncounted(restart.Undisturbed.Masks)
	if !slices.ContainsFunc(uncounted(create.Undisturbed.Masks), func(m v1alpha1.TrialMask) bool { return !slices.Contains(restarted, m) }) {
		return nil
	}
	plan := create.plan("as-restarted", "all", "afterwards", "all must be as after a restart")
	plan.Undisturbed.Objects, plan.Undisturbed.Masks = restart.Undisturbed.Objects, restarted
	plan.RestartAtEnd = true
	return []*Plan{plan}
}
