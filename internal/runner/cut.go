package runner

import (
	"context"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/chainsaw"
	"reconform.dev/reconform/internal/verdict"
)

// Why a run ends before everything was judged.
const (
	interrupted  = "the run was interrupted"
	firstFailure = "the run ended at the first failure"
	timeIsUp     = "the time of --max-time was over"
)

// limit returns the context in which scenarios run: it ends with ctx, or when the time of
// the run is over.
func (r *run) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.options.MaxTime == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, r.began.Add(r.options.MaxTime))
}

// unjudged returns the finding on a scenario that was not reached because the run was cut
// short.
func (r *run) unjudged(s scenario) finding {
	f := finding{scenario: s, result: newResult(s.requirement), cut: true}
	f.result.Repeat = s.repeat
	f.result.Verdict, f.result.Reason = v1alpha1.Skipped, verdict.NotJudged+r.cut
	return f
}

// allUnjudged returns the results of a run that reached no scenario.
func (r *run) allUnjudged(i *Implementation) []v1alpha1.Result {
	var results []v1alpha1.Result
	for _, planned := range i.Plan.Scenarios {
		results = append(results, r.unjudged(scenario{implementation: i, requirement: planned.Requirement}).result)
	}
	return results
}

// cutShort tells what a run that was cut short did not judge, and takes back what only a
// whole run can judge. It returns nil if the run was not cut short.
func (r *run) cutShort(i *Implementation, results []v1alpha1.Result) *v1alpha1.CutShort {
	if r.cut == "" {
		return nil
	}
	for n := range results {
		whole := slices.ContainsFunc(i.Plan.Scenarios, func(p Planned) bool {
			return p.Requirement.WholeRun && p.Requirement.ID == results[n].ID
		})
		if whole && results[n].Verdict == v1alpha1.Passed {
			results[n].Verdict, results[n].Reason = v1alpha1.Skipped, verdict.NotJudged+r.cut
		}
	}
	i.Plan.sort(results)
	short := &v1alpha1.CutShort{Reason: r.cut}
	for _, result := range results {
		if result.Reason == verdict.NotJudged+r.cut && !slices.Contains(short.NotJudged, result.ID) {
			short.NotJudged = append(short.NotJudged, result.ID)
		}
	}
	return short
}

// leftOut returns results for tests that were never started.
func leftOut(scenarios []scenario) []chainsaw.Test {
	var tests []chainsaw.Test
	for _, s := range scenarios {
		tests = append(tests, chainsaw.Test{Name: s.name(), Finished: true, Skipped: true})
	}
	return tests
}
