package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/scenario/chainsaw"
)

// parts are groups of scenarios that do not run together.
type parts struct {
	// together: they run at the same time.
	together []scenario
	// slow: they keep the machine busy, so only some of them run at the same time. Where
	// that does no harm, they run beside those.
	slow []scenario
	// serial: they change what all scenarios share, so one runs after the other. They have a
	// control plane of their own if that is possible, and otherwise come last: the machine is
	// busy for a while after each.
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
	if r.aloneBeside(job.Parallel, p) {
		return r.carryOutBoth(ctx, job, p)
	}
	tests, err := r.carryOutParallel(ctx, job, p)
	if err != nil {
		return tests, err
	}
	if len(p.together)+len(p.slow) > 0 {
		defer r.after(p.serial, time.Now())
	}
	alone, err := r.carryOutSerial(ctx, r.session, job, p.serial)
	return append(tests, alone...), err
}

// aloneBeside tells whether the serial scenarios run beside the others, on a control plane of
// their own. They do not if the user wants few scenarios at the same time, or to look at them
// afterwards, or if the first failure ends the run.
func (r *run) aloneBeside(parallel int, p parts) bool {
	return len(p.serial) > 0 && len(p.together)+len(p.slow) > 0 && r.session.controlPlane != nil &&
		!r.options.FailFast && !r.options.Keep && parallel >= fewAtOnce
}

// carryOutBoth runs the serial scenarios on a control plane of their own, and the others at
// the same time. If one of the two parts breaks off, the other still runs to its end.
func (r *run) carryOutBoth(ctx context.Context, job chainsaw.Job, p parts) ([]chainsaw.Test, error) {
	var alone []chainsaw.Test
	var brokeOff error
	var both sync.WaitGroup
	both.Go(func() { alone, brokeOff = r.carryOutApart(ctx, job, p.serial) })
	tests, err := r.carryOutParallel(ctx, job, p)
	both.Wait()
	return append(tests, alone...), cmp.Or(err, brokeOff)
}

// carryOutApart runs serial scenarios on a control plane of their own.
func (r *run) carryOutApart(ctx context.Context, job chainsaw.Job, serial []scenario) (tests []chainsaw.Test, err error) {
	session, err := r.openBeside(ctx, serial)
	if err != nil {
		return nil, spoiled{fmt.Errorf("opening a control plane for scenarios that change definitions: %w", err)}
	}
	defer func() {
		if closed := session.Close(ctx); closed != nil {
			r.options.Console.Warn("stopping the control plane of scenarios that change definitions: %v", closed)
		}
	}()
	running := session.whileUp(ctx)
	if r.waits != nil {
		watched, stop := context.WithCancel(running)
		var watching sync.WaitGroup
		watching.Go(func() { r.waits.watchBench(watched, session.Bench) })
		defer watching.Wait()
		defer stop()
	}
	job.Kubeconfig, job.Path = session.Kubeconfig, session.BinDir()
	tests, err = r.carryOutSerial(running, session, job, serial)
	if broken := session.broken(); broken != nil {
		err = spoiled{broken}
	}
	return tests, err
}

// openBeside opens a session beside that of the run, for some scenarios. It records to the
// same history.
func (r *run) openBeside(ctx context.Context, scenarios []scenario) (*Session, error) {
	options := sessionOptions(r.implementations, r.options)
	options.Beside, options.Console, options.CPUProfileDir = r.session, report.NewQuietConsole(io.Discard), ""
	options.Scenarios = map[string]*profile.Profile{}
	for _, s := range scenarios {
		options.Scenarios[s.namespace] = s.implementation.Profile
	}
	options.Profile = scenarios[0].implementation.Profile
	return OpenSession(ctx, options)
}

// carryOutParallel runs the scenarios that are not serial.
func (r *run) carryOutParallel(ctx context.Context, job chainsaw.Job, p parts) ([]chainsaw.Test, error) {
	if slow := r.options.slowBeside(job.Parallel); slow > 0 {
		return r.carryOutBeside(ctx, job, p, slow)
	}
	return r.carryOutAfter(ctx, job, p)
}

// carryOutSerial runs one scenario after the other, each alone on the control plane of the
// session.
func (r *run) carryOutSerial(ctx context.Context, session *Session, job chainsaw.Job, serial []scenario) ([]chainsaw.Test, error) {
	job.Parallel = 1
	return r.inTurn(nil, slices.Collect(slices.Chunk(serial, 1)), func(one []scenario) ([]chainsaw.Test, error) {
		return r.carryOutAlone(ctx, session, job, one)
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
			loading, err = r.carryOutTogether(both, r.session, beside, p.slow)
			return err
		})
	}
	group.Go(func() (err error) {
		tests, err = r.carryOutTogether(both, r.session, job, p.together)
		return err
	})
	err := group.Wait()
	return append(tests, loading...), err
}

// carryOutAfter runs the slow scenarios when the others have ended.
func (r *run) carryOutAfter(ctx context.Context, job chainsaw.Job, p parts) ([]chainsaw.Test, error) {
	tests, err := r.carryOutTogether(ctx, r.session, job, p.together)
	if err != nil {
		return tests, err
	}
	if len(p.together) > 0 {
		defer r.after(p.slow, time.Now())
	}
	job.Parallel = min(job.Parallel, r.options.slowAtOnce())
	return r.inTurn(tests, [][]scenario{p.slow}, func(slow []scenario) ([]chainsaw.Test, error) {
		return r.carryOutTogether(ctx, r.session, job, slow)
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
		tests, err := carryOut(ctx, r.session, job, one)
		if swept := r.session.Bench.Sweep(ctx, one[0].namespace); swept != nil && err == nil {
			err = spoiled{swept}
		}
		return tests, err
	})
}

// carryOutAlone runs a scenario that changes what all scenarios share. Afterwards that is
// restored, even if the scenario failed.
func (r *run) carryOutAlone(ctx context.Context, session *Session, job chainsaw.Job, one []scenario) ([]chainsaw.Test, error) {
	if err := session.Bench.Restore(ctx); err != nil {
		return nil, spoiled{err}
	}
	tests, err := r.carryOutTogether(ctx, session, job, one)
	if restored := session.Bench.Restore(ctx); restored != nil {
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

// carryOutTogether runs scenarios at the same time on the control plane of the session.
func (r *run) carryOutTogether(ctx context.Context, session *Session, job chainsaw.Job, scenarios []scenario) ([]chainsaw.Test, error) {
	if len(scenarios) == 0 {
		return nil, nil
	}
	byName := map[string]*scenario{}
	for n := range scenarios {
		if err := expectPods(ctx, session.Bench, &scenarios[n]); err != nil {
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
			r.freeNodes(ctx, session.Bench, s)
			r.options.Console.Ended(s.title(), s.outcome(event.Failed))
		} else {
			r.options.Console.Event(event)
		}
	})
}
