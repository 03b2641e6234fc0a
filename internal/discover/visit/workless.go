package visit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/report"
)

// mostFieldChanges limits how many fields are changed of a controller that makes no workload.
const mostFieldChanges = 30

// withoutWorkload finds out about a controller that has made nothing with a Pod template. If
// it has written something else, the visit goes on. Otherwise the error says why the visit is
// fruitless.
func (v *visitor) withoutWorkload(after int64) error {
	err := v.nothingMade()
	var fruitless *Fruitless
	if count, _ := v.writes(after); count == 0 || !v.Rehearse || !errors.As(err, &fruitless) {
		return err
	}
	v.record.Workless = fmt.Sprintf("it made no Deployment, StatefulSet, DaemonSet, CronJob or Job within %s%s", firstPatience, made(v.session.Recorder.Account(Namespace)))
	return nil
}

// carryOutWorkless carries out what can be done to a controller that makes no workload.
func (v *visitor) carryOutWorkless(ctx context.Context, name string) error {
	err := v.steps([]step{
		{"a rest", func() error { return v.rest(ctx, name) }},
		{"what it serves", func() error { return v.servingBefore(ctx) }},
	})
	if err != nil {
		return err
	}
	if err := v.tryEdits(ctx, name); err != nil { // it names the fields that it leaves out
		return err
	}
	return v.steps([]step{
		{"what it serves", func() error { return v.serving(ctx) }},
		{"its Leases", func() error { return v.leases(ctx) }},
		{"deletion", func() error { return v.delete(ctx, name) }},
		{"the end of the process", func() error { return v.end(ctx) }},
	})
}

// tryEdits changes one field after the other, and puts each back. Fields that the time does not
// suffice for are left out.
func (v *visitor) tryEdits(ctx context.Context, name string) error {
	v.Console.Phase("changing its fields, one by one")
	spec := v.Spec(name, nil)
	changes := slices.Concat(infer.FieldChanges(v.record.Version, spec, nil), infer.Toggles(spec), infer.Choices(v.record.Version, spec))
	v.record.Unchanged = infer.Unnamable(spec, "spec")
	number, began, most := 0, time.Now(), v.timeLeft()/2
	try := func(tried infer.FieldChange) error {
		if number >= mostFieldChanges || time.Since(began) >= most {
			return errOver
		}
		number++
		before := infer.At(map[string]any{"spec": spec}, tried.Path)
		if v.cluster && before == Namespace {
			return nil // it sees no other
		}
		for _, to := range []any{tried.To, before} {
			if err := v.change(ctx, infer.Act{Deed: infer.Change, Object: name, Path: tried.Path, To: to}); err != nil {
				return err
			}
			if v.record.Acts[len(v.record.Acts)-1].Refused != "" {
				return nil
			}
		}
		return nil
	}
	for _, tried := range changes {
		if err := v.orLeaveOut(tried, try(tried)); err != nil {
			return err
		}
	}
	v.Console.Done("changed " + report.Counted(number, "field"))
	return nil
}
