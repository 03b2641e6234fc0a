package explore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/internal/report"
)

// recordOne records the operations of a target, and makes its plans.
func (e *Exploration) recordOne(ctx context.Context, target *Target) ([]*Plan, error) {
	r := &recorder{place: e.place, target: target}
	if e.options.Budget > 0 {
		r.until = e.began.Add(e.options.Budget / mostOperations)
	}
	began := time.Now()
	children, err := r.begin(ctx)
	if err != nil {
		return nil, err
	}
	e.adapt(time.Since(began))
	r.parallel = e.options.Parallel
	operations, err := target.operations(children)
	if err != nil {
		return nil, err
	}
	operations, base := chosen(operations, e.options.Sorts)
	if len(operations) == 0 {
		return nil, nil
	}
	others := target.others()
	recorded, err := e.recordAll(ctx, r, base)
	if err != nil {
		return nil, err
	}
	backwards, err := target.editsBack(operations)
	if err != nil {
		return nil, err
	}
	anew, err := target.createdSo(operations)
	if err != nil {
		return nil, err
	}
	anotherBeside, err := target.withAnother(operations)
	if err != nil {
		return nil, err
	}
	groups := [][]Operation{
		backwards, anew, combined(operations, others, target.elects(), restartIsNeutral(recorded)),
		markings(operations, recorded), target.meddlings(operations, recorded), anotherBeside,
	}
	more, left := e.affordable(groups)
	more, same, err := withoutDoubles(base, more)
	if err != nil {
		return nil, err
	}
	if recorded, err = e.recordMore(ctx, r, recorded, base, more); err != nil {
		return nil, err
	}
	e.left = append(e.left, left...)
	underBothNames(recorded, same)
	plans, err := e.plan(target, operations, recorded, others, r.restless)
	for _, plan := range plans {
		plan.Resources = r.known()
	}
	return plans, err
}

// usual is how long the first Trial takes on a machine that has not much else to do.
const usual = 8 * time.Second

// adapt has fewer Trials run side by side if the first one, which ran alone, took much longer
// than usual: on a busy machine, many at a time are all slow, and none of them is done when a
// budget is spent.
func (e *Exploration) adapt(took time.Duration) {
	if !e.options.Adapt || took < 2*usual {
		return
	}
	fewer := max(int(float64(e.options.Parallel)*usual.Seconds()/took.Seconds()), 2)
	if fewer < e.options.Parallel {
		e.options.Console.Printf("  the machine is busy: the first run took %s, where about %s is usual; so %d at a time", report.Round(took), usual, fewer)
		e.options.Parallel = fewer
	}
}

// chosen returns the operations of these sorts, which are disturbed, and those that are
// recorded for that. Without sorts all are chosen. The creation and a restart are always
// recorded: an operation that must change nothing is compared with the creation, and the two
// together show whether a restart changes anything.
func chosen(all []Operation, sorts []string) (disturbed, recorded []Operation) {
	for _, o := range all {
		wanted := len(sorts) == 0 || slices.Contains(sorts, o.sort())
		if wanted {
			disturbed = append(disturbed, o)
		}
		if wanted || o.sort() == "create" || o.sort() == "restart" {
			recorded = append(recorded, o)
		}
	}
	return disturbed, recorded
}

// mostRecording limits how many combinations are recorded: of each sort only the first, once a
// quarter of the budget is spent.
const mostRecording = 4

// affordable returns the combinations that are recorded, of all sorts of them, and says which are
// left out because of the budget.
func (e *Exploration) affordable(sorts [][]Operation) (more []Operation, left []string) {
	late := e.options.Budget > 0 && time.Since(e.began) > e.options.Budget/mostRecording
	dropped := 0
	for _, sort := range sorts {
		sort = slices.DeleteFunc(slices.Clone(sort), func(o Operation) bool { return !e.options.combines(o) })
		if late && len(sort) > 1 {
			dropped += len(sort) - 1
			sort = sort[:1]
		}
		more = append(more, sort...)
	}
	if dropped > 0 {
		left = []string{fmt.Sprintf("%s of two operations, or of an operation meanwhile: the budget is too small to record more than one of each sort",
			report.Counted(dropped, "combination"))}
	}
	return more, left
}

// mostOperations limits all recordings: what is not recorded when half of the budget is spent
// is left out, so that some plans are tried.
const mostOperations = 2

// recordMore records combinations. If they show that the controller writes another kind,
// everything is recorded again.
func (e *Exploration) recordMore(ctx context.Context, r *recorder, recorded map[string]*Recording, base, more []Operation) (map[string]*Recording, error) {
	known, recordings, left := len(r.known()), e.recordings, e.left
	added, err := e.recordAll(ctx, r, more)
	if err != nil {
		return nil, err
	}
	switch {
	case len(r.known()) > known && r.hasTimeFor(time.Since(e.began)):
		return e.recordAll(ctx, r, slices.Concat(base, more))
	case len(r.known()) > known:
		if err := e.leaveOut(r, known, e.recordings); err != nil {
			return nil, err
		}
	}
	e.recordings, e.left = slices.Concat(recordings, e.recordings), slices.Concat(left, e.left)
	maps.Copy(recorded, added)
	return recorded, nil
}

// recordAll records operations. If one shows that the controller writes another kind, all
// are recorded again with that kind.
func (e *Exploration) recordAll(ctx context.Context, r *recorder, operations []Operation) (map[string]*Recording, error) {
	for {
		known, began := len(r.known()), time.Now()
		all, left, err := r.recordAll(ctx, operations)
		if err != nil {
			return nil, err
		}
		e.recordings, e.left = all, left
		switch {
		case len(r.known()) > known && r.hasTimeFor(time.Since(began)):
			e.options.Console.Printf("  it also writes %v: recording again", r.known()[known:])
			continue
		case len(r.known()) > known:
			if err := e.leaveOut(r, known, all); err != nil {
				return nil, err
			}
		}
		byName := map[string]*Recording{}
		for _, recording := range all {
			byName[recording.Name] = recording
		}
		return byName, nil
	}
}

// leaveOut takes resources out of the recordings that were learned of too late: the earlier
// recordings do not have their objects, so these cannot be compared. The first ones, as many as
// known says, stay.
func (e *Exploration) leaveOut(r *recorder, known int, recordings []*Recording) error {
	late := r.forget(known)
	e.options.Console.Printf("  it also writes %v, and there is no time to record everything again: they are not compared", late)
	e.left = append(e.left, fmt.Sprintf("the objects of %s are not compared: the budget is too small to record everything again", strings.Join(late, ", ")))
	for _, recording := range recordings {
		if err := recording.without(late); err != nil {
			return err
		}
	}
	return nil
}
