package explore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"reconform.dev/reconform/internal/report"
)

// all returns the targets of all resources that the controller serves, this one first.
func (t *Target) all() []*Target { return append([]*Target{t}, t.Others...) }

// of returns the target that an operation is of.
func (t *Target) of(o Operation) *Target {
	for _, other := range t.Others {
		if other.called == o.Called {
			return other
		}
	}
	return t
}

// record records the operations of each resource that the controller serves, and plans.
func (e *Exploration) record(ctx context.Context) error {
	e.options.Console.Phase("recording what the controller does undisturbed")
	var recordings []*Recording
	var left []string
	var plans []*Plan
	for _, target := range e.target.all() {
		if spent := time.Since(e.began); len(plans) > 0 && e.options.Budget > 0 && spent > e.options.Budget/mostForFirst {
			left = append(left, target.prefixed("nothing of it: the budget is too small to record it"))
			e.left = left
			continue
		}
		e.recordings, e.left = nil, nil
		found, err := e.recordOne(ctx, target)
		for _, recording := range e.recordings {
			recording.Name = target.name(recording.Name)
		}
		for _, plan := range found {
			plan.Operation.Name = target.name(plan.Operation.Name)
		}
		for i, why := range e.left {
			e.left[i] = target.prefixed(why)
		}
		plans, recordings, left = append(plans, found...), append(recordings, e.recordings...), append(left, e.left...)
		e.recordings, e.left = recordings, left
		var no unfit
		switch {
		case errors.As(err, &no):
			return unfit{fmt.Errorf("%s: %w", target.Resource, err)}
		case err != nil:
			return err
		}
	}
	e.options.Console.Done("recorded " + report.Counted(len(recordings), "operation"))
	switch {
	case len(recordings) == 0 && len(left) > 0:
		return unfit{fmt.Errorf("no operation could be recorded: %s. Try a larger --budget, or fewer --operations", strings.Join(left, "; "))}
	case len(recordings) == 0:
		return unfit{errors.New("there is no operation to disturb: this controller has none of those that --operations names")}
	}
	if err := e.checkWays(); err != nil && (len(plans) == 0 || len(left) == 0) {
		return e.mayBeLeft(err, left)
	}
	if len(plans) == 0 {
		return unfit{fmt.Errorf("the controller writes nothing after any of the operations, so there is nothing to disturb: %v", left)}
	}
	e.planned = order(plans, e.options.Seed)
	return nil
}

// mayBeLeft adds to an error about a disturbance that no plan has what was left out, because
// that may have had it.
func (e *Exploration) mayBeLeft(err error, left []string) error {
	if len(left) == 0 {
		return err
	}
	advice := ""
	if e.options.Budget > 0 {
		advice = fmt.Sprintf(". Try a larger --budget than %s, or fewer --operations", e.options.Budget)
	}
	return unfit{fmt.Errorf("%w. It may be in what was left out: %s%s", err, strings.Join(left, "; "), advice)}
}

// mostForFirst limits when the recording of another resource may begin, as a part of the
// budget: with 3, only within its first third.
const mostForFirst = 3

// of stands between the name of an operation and the resource that it is about, if that is
// not the first that the controller serves.
const of = "-of-"

// name returns the name of an operation, with the resource.
func (t *Target) name(operation string) string {
	if t.called == "" {
		return operation
	}
	first, then, combined := strings.Cut(operation, " then ")
	first += of + t.called
	if !combined {
		return first
	}
	return first + " then " + then
}

// prefixed says which resource a text is about, if it is not the first.
func (t *Target) prefixed(text string) string {
	if t.called == "" {
		return text
	}
	return t.called + ": " + text
}

// apart returns the name of an operation without its resource, and the resource. That is
// empty for the first.
func (o Operation) apart() (name, resource string) {
	if o.Called == "" {
		return o.Name, ""
	}
	return strings.Replace(o.Name, of+o.Called, "", 1), o.Called
}
