package runner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/conformance/chainsaw"
	"reconform.dev/reconform/conformance/history"
	"reconform.dev/reconform/conformance/report"
	"reconform.dev/reconform/conformance/verdict"
)

// pollInterval spaces identical reads of the scenarios.
const pollInterval = 150 * time.Millisecond

// run is a run under way.
type run struct {
	options  *Options
	plan     *Plan
	session  *Session
	recorder *history.Recorder
}

// Run carries out the plan and returns the report, which it has also written to
// the report directory. The error is for a run that could not be carried out;
// what a scenario finds is in the report. Nothing is left up when it returns.
func Run(ctx context.Context, plan *Plan, options Options) (_ *v1alpha1.ConformanceReport, err error) {
	if err := options.Validate(); err != nil {
		return nil, err
	}
	began := time.Now()

	// 1. Remove what an earlier run left in the report directory, so that
	//    nobody takes it for this one's.
	if err := report.Clear(options.ReportDir); err != nil {
		return nil, err
	}

	// 2. Bring the control plane and the bench up.
	session, err := OpenSession(ctx, SessionOptions{
		Profile: options.Profile, Kubeconfig: options.Kubeconfig, Dir: options.ReportDir,
		WithoutPods: !plan.needsPods(), TimeoutScale: options.TimeoutScale, Console: options.Console,
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, session.Close(ctx)) }()
	r := &run{options: &options, plan: plan, session: session, recorder: session.Recorder}

	// 3. Run the scenarios, round by round.
	scenariosBegan := time.Now()
	options.Console.Phase("running the scenarios")
	var results []v1alpha1.Result
	for round := 1; round <= options.Repeat; round++ {
		found, err := r.round(ctx, round)
		if err != nil {
			return nil, err
		}
		results = append(results, found...)
	}
	took := time.Since(scenariosBegan)
	options.Console.Done("scenarios ran")

	// 4. Judge, and write it down.
	result := r.report(append(results, plan.Skipped...))
	result.Durations.ControlPlane = metav1.Duration{Duration: session.ControlPlaneTook.Round(time.Millisecond)}
	result.Durations.Scenarios = metav1.Duration{Duration: took.Round(time.Millisecond)}
	if options.Keep {
		options.Console.Printf("everything is kept up until Ctrl+C; KUBECONFIG=%s", session.Kubeconfig)
		_ = session.Wait(ctx) // the verdict stands, whatever breaks now
	}
	result.Durations.Total = metav1.Duration{Duration: time.Since(began).Round(time.Millisecond)}
	if err := report.Write(options.ReportDir, result); err != nil {
		return nil, err
	}
	return result, nil
}

// round runs every scenario once and judges each. The error is for a run that
// was interrupted; where the bench breaks, the scenarios are inconclusive.
func (r *run) round(ctx context.Context, round int) ([]v1alpha1.Result, error) {
	dir := filepath.Join(r.session.work, fmt.Sprintf("round-%d", round))
	scenarios, err := r.plan.write(dir, round, r.options.Repeat, r.options.TimeoutScale)
	if err != nil {
		return nil, err
	}
	job := chainsaw.Job{
		Kubeconfig: r.session.Kubeconfig, Parallel: r.options.parallel(), Path: r.session.BinDir(),
		Results: filepath.Join(dir, "results.json"), PollInterval: pollInterval,
		Log: filepath.Join(logDir(r.options.ReportDir), "chainsaw.log"),
	}
	for _, s := range scenarios {
		job.Tests = append(job.Tests, s.folder)
	}
	r.options.Console.Plan(len(scenarios))

	running, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		r.session.watch(running, func(broken error) { stop(broken) })
	}()
	tests, runErr := chainsaw.Run(running, job, r.options.Console.Event)
	cause := context.Cause(running)
	stop(nil)
	<-watched
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if cause != nil {
		runErr = cause
	}
	if runErr == nil {
		runErr = countTests(tests, scenarios)
	}
	byName := map[string]*chainsaw.Test{}
	for i := range tests {
		byName[tests[i].Name] = &tests[i]
	}
	results := make([]v1alpha1.Result, 0, len(scenarios))
	for _, s := range scenarios {
		result := r.judge(s, byName[s.name()], runErr)
		if result.Verdict != v1alpha1.Passed {
			r.options.Console.Accuse(result)
		}
		results = append(results, result)
	}
	return results, nil
}

// countTests makes sure that what was selected is what ran: a runner that runs
// nothing is content too.
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

// report puts the results in order and adds what they were found with.
func (r *run) report(results []v1alpha1.Result) *v1alpha1.ConformanceReport {
	r.plan.sort(results)
	p := r.options.Profile
	report := &v1alpha1.ConformanceReport{
		TypeMeta:       metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "ConformanceReport"},
		Implementation: p.Spec.Implementation,
		Profile:        p.Name,
		Date:           metav1.Now().Rfc3339Copy(),
		Verdict:        verdict.OfRun(results),
		Summary:        verdict.Summarize(results),
		Claims:         p.Spec.Claims,
		Isolation:      r.session.Bench.Isolation(),
		Results:        results,
		Versions: v1alpha1.Versions{
			Reconform: r.options.Version, Kubernetes: r.kubernetesVersion(), Chainsaw: chainsaw.Version,
			Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		},
	}
	for _, result := range results {
		report.Durations.LongestScenario.Duration = max(report.Durations.LongestScenario.Duration, result.Duration.Duration)
	}
	return report
}

func (r *run) kubernetesVersion() string {
	client, err := discovery.NewDiscoveryClientForConfig(r.session.Config)
	if err != nil {
		return "unknown"
	}
	info, err := client.ServerVersion()
	if err != nil {
		return "unknown"
	}
	return info.GitVersion
}

func (r *run) logDir(namespace string) string {
	return filepath.Join(logDir(r.options.ReportDir), namespace)
}
