package runner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/report/logline"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/scenario/chainsaw"
	"reconform.dev/reconform/internal/verdict"
)

// preflight starts the controller once. If it does not start, nothing can be judged, and
// the report says that once, with the controller's last log lines.
func (r *run) preflight(ctx context.Context, i *Implementation) (*v1alpha1.NotStarted, error) {
	r.options.Console.Phase("starting the controller once")
	err := r.session.Bench.Preflight(r.session.whileUp(ctx))
	if broken := r.session.broken(); broken != nil {
		return nil, broken
	}
	if err == nil {
		r.options.Console.Done("controller starts: ready")
		for _, refused := range history.Barred(r.session.Recorder.Account(subject.PreflightNamespace).Requests) {
			r.options.Console.Warn("note: when the controller started, the bench refused one of its requests: %s: %s; %s", refused.InWords(), refused.Note, refused.BarredRemedy())
		}
		return nil, nil
	}
	var not *subject.NotStarting
	if !errors.As(err, &not) {
		return nil, err
	}
	found := &v1alpha1.NotStarted{
		Reason: not.Error(), Log: endOf(not.Log, logLines),
		Reproduce: i.reproduce(i.Plan.Scenarios[0].Requirement, r.options),
	}
	r.options.Console.Warn("\n%s", found.Reason)
	if len(found.Log) > 0 {
		r.options.Console.Warn("  the last lines of its output:\n    %s", strings.Join(logline.InWords(found.Log), "\n    "))
	}
	return found, nil
}

// unstarted returns the results of a controller that does not start.
func (i *Implementation) unstarted() []v1alpha1.Result {
	var results []v1alpha1.Result
	for _, planned := range i.Plan.Scenarios {
		result := newResult(planned.Requirement)
		result.Verdict, result.Reason = v1alpha1.Blocked, "the controller does not start"
		if len(planned.Unclaimed) > 0 {
			result.Verdict, result.Reason = v1alpha1.Skipped, fmt.Sprintf("feature %s is not claimed", planned.Unclaimed[0])
		}
		results = append(results, result)
	}
	return results
}

// finding is the outcome of one look at a scenario.
type finding struct {
	verdict.Finding
	scenario scenario
	result   v1alpha1.Result
	broken   bool                 // nothing can be concluded from this whole look
	gaveUp   bool                 // its wait was given up
	lacks    schema.GroupResource // the kind of children for whose lack it was given up; may be empty
	cut      bool                 // the run was cut short before
}

// round runs every scenario of all implementations once, and judges each. If the bench
// breaks, the scenarios are inconclusive. If the run is cut short, those that had not ended
// are not judged.
func (r *run) round(ctx context.Context, round int) (map[*Implementation][]v1alpha1.Result, error) {
	dir := filepath.Join(r.session.work, fmt.Sprintf("round-%d", round))
	scenarios, err := write(dir, r.implementations, round, r.options)
	if err != nil {
		return nil, err
	}
	if r.options.Shuffle != nil {
		r.options.Shuffle.Shuffle(len(scenarios), func(i, j int) { scenarios[i], scenarios[j] = scenarios[j], scenarios[i] })
	}
	parallel, bound := r.options.parallel(r.options.serial(r.implementations))
	if round == 1 {
		if len(scenarios) == 1 {
			r.options.Console.Printf("1 scenario")
		} else {
			r.options.Console.Printf("%d scenarios, at most %d at a time (%s)", len(scenarios), parallel, bound)
		}
	}
	r.firstLook = true
	findings, err := r.look(ctx, dir, scenarios, parallel)
	r.firstLook = false // later looks are few
	if err == nil && r.lookTwice && ctx.Err() == nil && r.cut != timeIsUp {
		err = r.lookAgain(ctx, dir, findings, parallel, r.look)
	}
	if err == nil && ctx.Err() == nil && r.cut != timeIsUp {
		err = r.waitAgain(ctx, dir, findings, parallel, r.look)
	}
	if err != nil {
		return nil, err
	}
	for _, adopted := range settle(findings) {
		r.accuse(adopted)
	}
	results := map[*Implementation][]v1alpha1.Result{}
	for _, f := range findings {
		if verdict.NeedsLook(f.result.Verdict) && !f.broken {
			r.accuse(f.result)
		}
		results[f.scenario.implementation] = append(results[f.scenario.implementation], f.result)
	}
	return results, nil
}

// settle uses the finding on one requirement to explain others, for each implementation. If a
// scenario cannot be mapped, its requirement may fail because of what other scenarios saw:
// settle returns these results.
func settle(findings []finding) (adopted []v1alpha1.Result) {
	for i, judged := range byImplementation(findings) {
		verdict.Settle(judged)
		adopted = append(adopted, i.Plan.adopt(judged)...)
	}
	return adopted
}

// settledNow returns findings as they would be settled now. The given ones stay as they are.
func settledNow(findings []finding) []finding {
	settled := slices.Clone(findings)
	for _, judged := range byImplementation(settled) {
		verdict.Settle(judged)
	}
	return settled
}

// byImplementation returns the findings of each implementation, in the order of its
// requirements. They point to the results of the given findings, so settling changes these.
func byImplementation(findings []finding) map[*Implementation][]verdict.Judged {
	all := map[*Implementation][]verdict.Judged{}
	for n := range findings {
		i := findings[n].scenario.implementation
		judged := findings[n].judged()
		judged.Passed = i.Plan.Passed
		all[i] = append(all[i], judged)
	}
	for i := range all {
		all[i] = append(all[i], i.Plan.away()...)
		i.Plan.inOrder(all[i])
	}
	return all
}

// look is what runs and judges scenarios outside of tests (see looker).
func (r *run) look(ctx context.Context, dir string, scenarios []scenario, parallel int) ([]finding, error) {
	job := chainsaw.Job{
		Kubeconfig: r.session.Kubeconfig, Parallel: parallel, Path: r.session.BinDir(),
		TempDir: dir, PollInterval: pollInterval,
		PodPatience: time.Duration(float64(podPatience) * r.options.TimeoutScale), PodsAlone: r.options.Kubeconfig == "",
		Log: filepath.Join(logDir(r.options.ReportDir), "chainsaw.log"), Endings: &r.endings,
	}
	r.options.Console.Plan(len(scenarios))

	running, stop := r.limit(ctx)
	defer stop()
	var watching sync.WaitGroup
	watching.Go(func() {
		if err := r.session.Wait(running); err != nil {
			r.options.Console.Warn("nothing can be concluded from this round: %v", err)
		}
		stop() // nothing that is found after this counts
	})
	r.waits, r.fuse = nil, nil
	if r.firstLook && r.options.FailFast {
		r.fuse = newFuse()
		job.Enough = r.fuse.whenBlown()
	}
	if r.firstLook {
		r.waits = r.newWaits()
		watching.Go(func() { r.waits.watchAsserts(running) })
		watching.Go(func() { r.waits.watchBench(running, r.session.Bench) })
	}
	tests, runErr := r.carryOut(running, job, scenarios)
	late := errors.Is(running.Err(), context.DeadlineExceeded) && countTests(tests, scenarios) != nil
	stop()
	watching.Wait()
	broken := r.session.broken()
	switch {
	case ctx.Err() != nil:
		r.cut, runErr = interrupted, nil
	case broken != nil:
		runErr = broken // the console has shown it already
	case late:
		r.cut, runErr = timeIsUp, nil
	default:
		if runErr == nil {
			runErr = countTests(tests, scenarios)
		}
		switch {
		case errors.As(runErr, &spoiled{}):
			r.options.Console.Warn("no other scenario can run: %v", runErr)
		case runErr != nil:
			r.options.Console.Warn("nothing can be concluded from this round: %v", runErr)
		}
	}
	if runErr == nil && slices.ContainsFunc(tests, func(t chainsaw.Test) bool { return t.Skipped }) {
		r.cut = firstFailure
	}
	return r.judgeAll(scenarios, tests, runErr), nil
}

// judgeAll judges what scenarios did. runErr says why the round could not be carried out.
func (r *run) judgeAll(scenarios []scenario, tests []chainsaw.Test, runErr error) []finding {
	byName := map[string]*chainsaw.Test{}
	for i := range tests {
		byName[tests[i].Name] = &tests[i]
	}
	var findings []finding
	var nowhere unreached // nothing that passed has waited in vain
	if slices.ContainsFunc(tests, func(t chainsaw.Test) bool { return !t.Passed }) {
		nowhere = r.unreachedIn(scenarios...)
	}
	for _, s := range scenarios {
		test := byName[s.name()]
		if runErr == nil && (test == nil || test.Skipped) {
			findings = append(findings, r.unjudged(s))
			continue
		}
		f := r.judge(s, test, against(runErr, test), nowhere)
		f.gaveUp, f.lacks = r.waits.gaveUp(s), r.waits.lacks(s)
		findings = append(findings, f)
	}
	return findings
}

// outcome returns the outcome of the scenario, which depends on the step that failed.
func (s *scenario) outcome(failed string) report.Outcome {
	switch role := catalogue.RoleOf(failed); {
	case len(s.unclaimed) > 0:
		return report.NotClaimed
	case failed == "":
		return report.Passes
	case role == catalogue.Given || role == catalogue.When:
		return report.Unsettled
	default:
		return report.Fails
	}
}

// countTests makes sure that everything that was selected has run, because a test runner
// that runs nothing reports no failure.
func countTests(tests []chainsaw.Test, scenarios []scenario) error {
	ended := 0
	for _, test := range tests {
		if test.Finished {
			ended++
		}
	}
	if ended != len(scenarios) {
		return fmt.Errorf("%d of %d scenarios ran to their end", ended, len(scenarios))
	}
	return nil
}
