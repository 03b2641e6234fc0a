package explore

import (
	"fmt"
	"slices"
	"strings"
)

// Ways are the sorts of disturbances, in the order of docs/explore.md. The last ones disturb
// nothing: the operation itself is compared.
func Ways() []string {
	return []string{
		"crash-after", "crash-before", "terminate",
		"500", "504", "403", "conflict", "already-exists", "422", "429", "500-lasting", "403-lasting", "conflict-lasting",
		"lost-answer", "cut", "slow", "hung", "hung-done", "late-answer",
		"meanwhile-edit", "meanwhile-delete", "meanwhile-recreate", createdMeanwhile, editedMeanwhile, "late-answer-edit", "late-answer-delete", "late-answer-recreate", "meanwhile-mark", driftedMeanwhile,
		"lease-lost", "lease-regained", "read-500", "read-403",
		"watch-late", "watch-frozen", "watch-late-all", "watch-closed", "missed-deletion",
		"stale-restart", "stale-standby", "slow-list", "refused-restart", "stale-end",
		"undone", finishedAgain, "all-changed", "bystanders", twoConditions, "orphaned", inForeground, endingChild, "as-restarted", "status-edited", "edited-back", editedUnready, editedUnseen, templateKept, "edited-as-new", another, longNames, nameTaken, othersPods, besideLate, "kept", neverRests,
	}
}

// inTheseWays leaves out the plans of other disturbances than those that are asked for.
func (e *Exploration) inTheseWays(plans []*Plan) []*Plan {
	if len(e.options.Ways) == 0 {
		return plans
	}
	for _, p := range plans {
		if !slices.Contains(e.ways, p.Sort) {
			e.ways = append(e.ways, p.Sort)
		}
	}
	return slices.DeleteFunc(plans, func(p *Plan) bool { return !slices.Contains(e.options.Ways, p.Sort) })
}

// checkWays returns an error if a disturbance is asked for that no plan has.
func (e *Exploration) checkWays() error {
	for _, way := range e.options.Ways {
		if !slices.Contains(e.ways, way) {
			return unfit{fmt.Errorf("--disturbances: no plan of these operations has the disturbance %q; there are: %s",
				way, strings.Join(slices.Sorted(slices.Values(e.ways)), ", "))}
		}
	}
	return nil
}

// combines says whether a plan that is asked for has the outcome of this combination.
func (o Options) combines(both Operation) bool {
	name, then, _ := strings.Cut(both.Name, " then ")
	return len(o.Ways) == 0 || slices.ContainsFunc(o.Ways, func(way string) bool {
		switch {
		case then == "restart":
			return way == "stale-restart" || way == "stale-end" || way == "refused-restart"
		case then == "failover":
			return way == "stale-standby"
		case name == another && then == "edit":
			return way == editedMeanwhile
		case name == another && then == "":
			return way == another || way == createdMeanwhile || way == editedMeanwhile
		case name == another:
			return way == another
		case then == asNew || name == allEdits || name == undoneEdits:
			return way == "edited-as-new"
		case then == back:
			return way == "edited-back" || way == editedUnready || way == editedUnseen
		case isHolding(then):
			return way == "read-500" || way == "read-403"
		case strings.HasPrefix(then, drifting):
			return way == driftedMeanwhile
		case strings.HasPrefix(then, "mark-"):
			return way == "kept" || way == "meanwhile-mark" || way == endingChild && name == "delete"
		}
		return way == "meanwhile-"+then || way == "late-answer-"+then
	})
}
