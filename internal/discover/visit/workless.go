package visit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"reconform.dev/reconform/internal/discover/infer"
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
	return v.steps([]step{
		{"a rest", func() error { return v.rest(ctx, name) }},
		{"what it serves", func() error { return v.servingBefore(ctx) }},
		{"edits", func() error { return v.tryEdits(ctx, name) }},
		{"what it serves", func() error { return v.serving(ctx) }},
		{"its Leases", func() error { return v.leases(ctx) }},
		{"deletion", func() error { return v.delete(ctx, name) }},
		{"the end of the process", func() error { return v.end(ctx) }},
	})
}

// tryEdits changes one field after the other, and puts each back.
func (v *visitor) tryEdits(ctx context.Context, name string) (err error) {
	v.Console.Phase("changing its fields, one by one")
	spec := v.Spec(name, nil)
	changes := slices.Concat(infer.FieldChanges(v.record.Version, spec, nil), infer.Toggles(spec), infer.Choices(v.record.Version, spec))
	v.record.Unchanged = infer.Unnamable(spec, "spec")
	number, began, most, next := 0, time.Now(), v.timeLeft()/2, 0
	defer func() {
		if errors.Is(err, errOver) {
			v.leaveOut(changes[next:])
		}
	}()
	for n, tried := range changes {
		if next = n; n >= mostFieldChanges || time.Since(began) > most {
			v.leaveOut(changes[n : n+1])
			continue
		}
		number++
		before := infer.At(map[string]any{"spec": spec}, tried.Path)
		if v.cluster && before == Namespace {
			continue // it sees no other
		}
		for _, to := range []any{tried.To, before} {
			if err := v.change(ctx, infer.Act{Deed: infer.Change, Object: name, Path: tried.Path, To: to}); err != nil {
				return err
			}
			if v.record.Acts[len(v.record.Acts)-1].Refused != "" {
				break
			}
		}
	}
	v.Console.Done(fmt.Sprintf("changed %d fields", number))
	return nil
}
