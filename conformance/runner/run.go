package runner

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/conformance/bench"
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
		Scenarios: plan.namespaces(options.Repeat), Keep: options.Keep,
	})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, session.Close(ctx)) }()
	if err := session.checkKubectl(); err != nil {
		return nil, err
	}
	r := &run{options: &options, plan: plan, session: session, recorder: session.Recorder}

	// 3. Make sure that the controller starts at all.
	scenariosBegan := time.Now()
	results, err := r.preflight(ctx)
	if err != nil {
		return nil, err
	}

	// 4. Run the scenarios, round by round.
	if results == nil {
		options.Console.Phase("running the scenarios")
		for round := 1; round <= options.Repeat; round++ {
			found, err := r.round(ctx, round)
			if err != nil {
				return nil, err
			}
			results = append(results, found...)
		}
		options.Console.Done("scenarios ran")
	}

	// 5. Judge, and write it down.
	result := r.report(append(results, plan.Skipped...))
	result.Durations = v1alpha1.Durations{
		ControlPlane: rounded(session.ControlPlaneTook), Scenarios: rounded(time.Since(scenariosBegan)),
		LongestScenario: longest(results), Total: rounded(time.Since(began)),
	}
	if err := report.Write(options.ReportDir, result); err != nil {
		return nil, err
	}

	// 6. Leave everything up where that is asked for. The verdict stands,
	//    whatever breaks now.
	if options.Keep {
		options.Console.Printf("everything is kept up until Ctrl+C; KUBECONFIG=%s", session.Kubeconfig)
		_ = session.Wait(ctx)
	}
	return result, nil
}

// preflight starts the controller once. Where it does not start, that is the
// result of every scenario, and nobody has to wait for each to find out.
func (r *run) preflight(ctx context.Context) ([]v1alpha1.Result, error) {
	r.options.Console.Phase("starting the controller once")
	err := r.session.Bench.Preflight(ctx)
	var not *bench.NotStarting
	if err == nil {
		r.options.Console.Done("controller starts: ready")
		return nil, nil
	} else if !errors.As(err, &not) {
		return nil, err
	}
	var results []v1alpha1.Result
	for _, planned := range r.plan.Scenarios {
		result := newResult(planned.Requirement)
		result.Verdict, result.Reason = v1alpha1.Failed, not.Error()
		result.Evidence = &v1alpha1.Evidence{
			Namespace: not.Namespace, Log: lastLines(r.logDir(not.Namespace), logLines), Reproduce: r.options.reproduce(planned.Requirement),
		}
		results = append(results, result)
	}
	log := strings.Join(results[0].Evidence.Log, "\n    ")
	r.options.Console.Printf("\n%v\n  the last lines of its output:\n    %s", not, log)
	return results, nil
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
		Results: filepath.Join(dir, "results.json"), TempDir: dir, PollInterval: pollInterval,
		Log: filepath.Join(logDir(r.options.ReportDir), "chainsaw.log"),
	}
	for _, s := range scenarios {
		job.Tests = append(job.Tests, s.folder)
	}
	r.options.Console.Plan(len(scenarios))

	running, stop := context.WithCancel(ctx)
	defer stop()
	var watching sync.WaitGroup
	watching.Go(func() {
		_ = r.session.Wait(running)
		stop() // nothing that is found from now on counts
	})
	tests, runErr := chainsaw.Run(running, job, r.options.Console.Event)
	stop()
	watching.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if broken := r.session.broken(); broken != nil {
		runErr = broken
	}
	if runErr == nil {
		runErr = countTests(tests, scenarios)
	}
	if runErr != nil {
		r.options.Console.Printf("nothing can be concluded from this round: %v", runErr)
	}
	byName := map[string]*chainsaw.Test{}
	for i := range tests {
		byName[tests[i].Name] = &tests[i]
	}
	results := make([]v1alpha1.Result, 0, len(scenarios))
	for _, s := range scenarios {
		result := r.judge(s, byName[s.name()], runErr)
		if result.Verdict != v1alpha1.Passed && runErr == nil {
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
	return report
}

func longest(results []v1alpha1.Result) (d metav1.Duration) {
	for _, result := range results {
		d.Duration = max(d.Duration, result.Duration.Duration)
	}
	return d
}

func rounded(d time.Duration) metav1.Duration {
	return metav1.Duration{Duration: d.Round(time.Millisecond)}
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
