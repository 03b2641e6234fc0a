package runner

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// parts are groups of scenarios that run at different times.
type parts struct {
	// together: they run at the same time.
	together []scenario
	// patient: they run during those and the slow ones.
	patient []scenario
	// slow: they come next. They keep the machine so busy that other scenarios would be too
	// late.
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
		case s.requirement.Patient():
			p.patient = append(p.patient, s)
		default:
			p.together = append(p.together, s)
		}
	}
	return p
}

// carryOut runs the scenarios. If the first failure ends the run, patient scenarios do not
// run during the others.
func (r *run) carryOut(ctx context.Context, job chainsaw.Job, scenarios []scenario) ([]chainsaw.Test, error) {
	p := apart(scenarios)
	if len(p.patient) >= job.Parallel || r.options.FailFast {
		p.together, p.patient = append(p.patient, p.together...), nil
	}
	job.Parallel -= len(p.patient)

	var tests, patient []chainsaw.Test
	var began time.Time // when the scenarios started that run after those in p.together
	group, both := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		patient, err = r.carryOutTogether(both, job, p.patient)
		return err
	})
	group.Go(func() (err error) {
		tests, err = r.inTurn(nil, scenarios, r.batches(p.together), func(batch []scenario) ([]chainsaw.Test, error) {
			return r.carryOutTogether(both, job, batch)
		})
		if err != nil {
			return err
		}
		if len(p.together) > 0 {
			began = time.Now()
		}
		job := job
		job.Parallel = min(job.Parallel, r.options.slowAtOnce())
		tests, err = r.inTurn(tests, scenarios, [][]scenario{p.slow}, func(slow []scenario) ([]chainsaw.Test, error) {
			return r.carryOutTogether(both, job, slow)
		})
		return err
	})
	err := group.Wait()
	if !began.IsZero() {
		defer func() { r.slow += time.Since(began) }()
	}
	tests = append(tests, patient...)
	if err != nil {
		return tests, err
	}
	job.Parallel = 1
	return r.inTurn(tests, scenarios, slices.Collect(slices.Chunk(p.serial, 1)), func(one []scenario) ([]chainsaw.Test, error) {
		return r.carryOutAlone(ctx, job, one)
	})
}

// inTurn carries out one batch after the other, and adds the results to the tests. If a
// failure ends the run, no batch starts after one.
func (r *run) inTurn(tests []chainsaw.Test, all []scenario, batches [][]scenario, carryOut func([]scenario) ([]chainsaw.Test, error)) ([]chainsaw.Test, error) {
	for _, batch := range batches {
		if r.options.FailFast && failed(tests, all) {
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

// carryOutAlone runs a scenario that changes what all scenarios share. Afterwards that is
// restored, even if the scenario failed.
func (r *run) carryOutAlone(ctx context.Context, job chainsaw.Job, one []scenario) ([]chainsaw.Test, error) {
	if err := r.session.Bench.Restore(ctx); err != nil {
		return nil, err
	}
	tests, err := r.carryOutTogether(ctx, job, one)
	return tests, errors.Join(err, r.session.Bench.Restore(ctx))
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
	return chainsaw.Run(ctx, job, func(event chainsaw.Event) {
		s, ok := byName[event.Test]
		if !ok {
			return
		}
		event.Test = s.title()
		r.listen(s, event)
		s.follow(r.recorder, event)
		if event.Kind == chainsaw.Ended {
			r.freeNodes(ctx, s)
			r.options.Console.Ended(s.title(), s.outcome(event.Failed))
		} else {
			r.options.Console.Event(event)
		}
	})
}
