package runner

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// parts are groups of scenarios that do not run together.
type parts struct {
	// together: they run at the same time.
	together []scenario
	// slow: they keep the machine busy, so only some of them run at the same time. Where
	// that does no harm, they run beside those.
	slow []scenario
	// serial: they change what all scenarios share. They come last, one by one, because the
	// machine is busy for a while after each.
	serial []scenario
}

func apart(scenarios []scenario) parts {
	var p parts
	for _, s := range scenarios {
		switch {
		case s.requirement.Serial:
			p.serial = append(p.serial, s)
		case s.requirement.Slow:
			p.slow = append(p.slow, s)
		default:
			p.together = append(p.together, s)
		}
	}
	return p
}

// carryOut runs the scenarios.
func (r *run) carryOut(ctx context.Context, job chainsaw.Job, scenarios []scenario) ([]chainsaw.Test, error) {
	if slices.ContainsFunc(r.implementations, func(i *Implementation) bool { return i.Profile.ServesCluster() }) {
		return r.carryOutSwept(ctx, job, scenarios)
	}
	p := apart(scenarios)
	var tests []chainsaw.Test
	var err error
	if slow := r.options.slowBeside(job.Parallel); slow > 0 {
		tests, err = r.carryOutBeside(ctx, job, p, slow)
	} else {
		tests, err = r.carryOutAfter(ctx, job, p)
	}
	if err != nil {
		return tests, err
	}
	if len(p.together)+len(p.slow) > 0 {
		defer r.after(p.serial, time.Now())
	}
	job.Parallel = 1
	return r.inTurn(tests, slices.Collect(slices.Chunk(p.serial, 1)), func(one []scenario) ([]chainsaw.Test, error) {
		return r.carryOutAlone(ctx, job, one)
	})
}

// carryOutBeside runs the slow scenarios beside the others, only so many of them at the same
// time.
func (r *run) carryOutBeside(ctx context.Context, job chainsaw.Job, p parts, slow int) ([]chainsaw.Test, error) {
	var tests, loading []chainsaw.Test
	group, both := errgroup.WithContext(ctx)
	if len(p.slow) > 0 {
		beside := job
		beside.Parallel = min(slow, len(p.slow))
		job.Parallel -= beside.Parallel
		group.Go(func() (err error) {
			loading, err = r.carryOutTogether(both, beside, p.slow)
			return err
		})
	}
	group.Go(func() (err error) {
		tests, err = r.carryOutTogether(both, job, p.together)
		return err
	})
	err := group.Wait()
	return append(tests, loading...), err
}

// carryOutAfter runs the slow scenarios when the others have ended.
func (r *run) carryOutAfter(ctx context.Context, job chainsaw.Job, p parts) ([]chainsaw.Test, error) {
	tests, err := r.carryOutTogether(ctx, job, p.together)
	if err != nil {
		return tests, err
	}
	if len(p.together) > 0 {
		defer r.after(p.slow, time.Now())
	}
	job.Parallel = min(job.Parallel, r.options.slowAtOnce())
	return r.inTurn(tests, [][]scenario{p.slow}, func(slow []scenario) ([]chainsaw.Test, error) {
		return r.carryOutTogether(ctx, job, slow)
	})
}

// after notes that scenarios have run after the others, since a time.
func (r *run) after(scenarios []scenario, began time.Time) {
	if len(scenarios) == 0 {
		return
	}
	r.slow += time.Since(began)
	if r.late == nil {
		r.late = map[string]bool{}
	}
	for _, s := range scenarios {
		r.late[s.requirement.ID] = true
	}
}

// inTurn carries out one batch after the other, and adds the results to the tests. If a
// failure ends the run, no batch starts after one.
func (r *run) inTurn(tests []chainsaw.Test, batches [][]scenario, carryOut func([]scenario) ([]chainsaw.Test, error)) ([]chainsaw.Test, error) {
	for _, batch := range batches {
		if r.fuse.isBlown() {
			tests = append(tests, leftOut(batch)...)
			continue
		}
		found, err := carryOut(batch)
		tests = append(tests, found...)
		if err != nil {
			return tests, err
		}
	}
	return tests, nil
}

// carryOutSwept runs one scenario after the other. After each, the objects without a
// namespace are removed that it has left: the next one has objects with the same names.
func (r *run) carryOutSwept(ctx context.Context, job chainsaw.Job, scenarios []scenario) ([]chainsaw.Test, error) {
	job.Parallel = 1
	return r.inTurn(nil, slices.Collect(slices.Chunk(scenarios, 1)), func(one []scenario) ([]chainsaw.Test, error) {
		carryOut := r.carryOutTogether
		if one[0].requirement.Serial {
			carryOut = r.carryOutAlone
		}
		tests, err := carryOut(ctx, job, one)
		if swept := r.session.Bench.Sweep(ctx, one[0].namespace); swept != nil && err == nil {
			err = spoiled{swept}
		}
		return tests, err
	})
}

// carryOutAlone runs a scenario that changes what all scenarios share. Afterwards that is
// restored, even if the scenario failed.
func (r *run) carryOutAlone(ctx context.Context, job chainsaw.Job, one []scenario) ([]chainsaw.Test, error) {
	if err := r.session.Bench.Restore(ctx); err != nil {
		return nil, spoiled{err}
	}
	tests, err := r.carryOutTogether(ctx, job, one)
	if restored := r.session.Bench.Restore(ctx); restored != nil {
		if err == nil {
			return tests, spoiled{restored}
		}
		err = errors.Join(err, restored)
	}
	return tests, err
}

// spoiled is the reason why no other scenario can run on this control plane. What has run
// to its end by then is judged.
type spoiled struct{ error }

func (s spoiled) Unwrap() error { return s.error }

// against returns what speaks against judging a scenario by its test: why the round broke
// off, unless it did so after the test.
func against(brokeOff error, test *chainsaw.Test) error {
	if test != nil && test.Finished && errors.As(brokeOff, &spoiled{}) {
		return nil
	}
	return brokeOff
}

func (r *run) carryOutTogether(ctx context.Context, job chainsaw.Job, scenarios []scenario) ([]chainsaw.Test, error) {
	if len(scenarios) == 0 {
		return nil, nil
	}
	byName := map[string]*scenario{}
	for n := range scenarios {
		if err := r.expectPods(ctx, &scenarios[n]); err != nil {
			return nil, err
		}
		job.Tests = append(job.Tests, scenarios[n].folder)
		byName[scenarios[n].name()] = &scenarios[n]
	}
	job.Results = scenarios[0].folder + ".results.json"
	began := map[string]time.Time{}
	return chainsaw.Run(ctx, job, func(event chainsaw.Event) {
		s, ok := byName[event.Test]
		if !ok {
			return
		}
		now := time.Now()
		if began[event.Test].IsZero() {
			began[event.Test] = now
		}
		start := began[event.Test]
		event.Test = s.title()
		r.listen(s, event)
		s.follow(r.recorder, event)
		r.waits.follow(s, event, now)
		if event.Kind == chainsaw.Ended {
			r.judgeEarly(s, start, now, event.Failure)
			r.freeNodes(ctx, s)
			r.options.Console.Ended(s.title(), s.outcome(event.Failed))
		} else {
			r.options.Console.Event(event)
		}
	})
}
