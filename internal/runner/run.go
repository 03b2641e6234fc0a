package runner

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
	"reconform.dev/reconform/internal/record/invariant"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/report/page"
	"reconform.dev/reconform/internal/scenario/chainsaw"
	"reconform.dev/reconform/internal/verdict"
	"reconform.dev/reconform/internal/verdict/baseline"
)

// pollInterval is the pause between two identical reads of a scenario.
const pollInterval = 150 * time.Millisecond

// podPatience is how long the scheduler may find no Node for a Pod. The binding of a claim
// takes less than a second, and more than five on a busy machine.
const podPatience = 15 * time.Second

// run is a run that is being carried out.
type run struct {
	options         *Options
	implementations []*Implementation
	session         *Session
	recorder        *history.Recorder
	began           time.Time
	accuse          func(v1alpha1.Result) // shows a result that did not pass
	slow            time.Duration         // time of the scenarios that ran after the others
	late            map[string]bool       // their requirements, by ID
	firstLook       bool                  // whether this is the first look at each scenario
	waits           *waits                // gives up waits that have no chance; nil except at the first look
	endings         chainsaw.Endings      // ends asserts of scenarios that run
	fuse            *fuse                 // ends the run at its first failure; nil if nothing does
	lookTwice       bool                  // whether to look again at what failed on a busy machine
	again           time.Duration         // time of the second looks
	noting          sync.Mutex            // guards words: scenarios end at the same time
	words           map[string]*words     // what subjects printed when a step of their scenarios failed, by namespace
	cut             string                // why it ended before everything was judged; empty if it did not
	rights          *v1alpha1.Rights      // of a shard: what its requests show about them
}

// clearReports removes the files that an earlier run left in the report directory: they must
// not be mistaken for files of this run. A report that this run completes stays until the whole
// one replaces it, so that it is not lost if this process is killed.
func clearReports(options *Options) error {
	if options.Complete != nil {
		return report.ClearBeside(options.ReportDir)
	}
	return report.Clear(options.ReportDir)
}

// start starts the control plane and the bench for the implementations.
func start(ctx context.Context, implementations []*Implementation, options *Options) (*run, error) {
	if err := clearReports(options); err != nil {
		return nil, err
	}
	if err := fit(ctx, implementations, options); err != nil {
		return nil, err
	}
	if options.Fitted != nil {
		options.Fitted()
	}
	session, err := OpenSession(ctx, sessionOptions(implementations, options))
	if err != nil {
		return nil, err
	}
	if err := session.checkKubectl(); err != nil {
		return nil, errors.Join(err, session.Close(ctx))
	}
	return newRun(session, implementations, options), nil
}

// sessionOptions returns the options of the session in which all scenarios of the
// implementations can run.
func sessionOptions(implementations []*Implementation, options *Options) SessionOptions {
	return SessionOptions{
		Profile: implementations[0].Profile, Kubeconfig: options.Kubeconfig, Context: options.Context, Kubernetes: options.Kubernetes, Dir: options.ReportDir,
		WithoutPods: !needPods(implementations), TimeoutScale: options.TimeoutScale, Console: options.Console, Launcher: options.Launcher,
		Scenarios: profiles(implementations, options.Repeat), Keep: options.Keep, ReplaceCRDs: options.ReplaceCRDs, InCluster: options.InCluster,
		ImagePrefix: options.ImagePrefix, CPUProfileDir: options.CPUProfileDir, Bystanders: true,
	}
}

// newRun returns a run on a session that is up.
func newRun(session *Session, implementations []*Implementation, options *Options) *run {
	for _, i := range implementations {
		i.contract = invariant.ContractOf(i.Profile)
	}
	return &run{options: options, implementations: implementations, session: session, recorder: session.Recorder}
}

// Run carries out the plan, writes the report to the report directory, and returns it. What a
// scenario finds is in the report, and not an error. If the context ends, the report has what
// was known by then. An error without a report says why the run could not be carried out. An
// error beside a report says that it could not be written, as on a full disk. Nothing is left
// up when Run returns.
func Run(ctx context.Context, plan *Plan, options Options) (_ *v1alpha1.ConformanceReport, err error) {
	if err := options.Validate(); err != nil {
		return nil, err
	}
	began := time.Now()
	i := &Implementation{Profile: options.Profile, ProfileArgument: options.ProfileArgument, Plan: plan}

	// 1. Start the control plane and the bench.
	r, err := start(ctx, []*Implementation{i}, &options)
	if err != nil {
		return nil, err
	}
	r.began, r.accuse, r.lookTwice = began, options.Console.Accuse, true
	session := r.session
	defer func() { err = errors.Join(err, session.Close(ctx)) }()

	// 2. Make sure that Pods become ready, and that the controller starts at all.
	scenariosBegan := time.Now()
	var notStarted *v1alpha1.NotStarted
	if err = r.checkPods(ctx); err == nil && len(plan.Scenarios) > 0 {
		notStarted, err = r.preflight(ctx, i)
	}
	var misfits []v1alpha1.Result
	if err == nil && notStarted == nil && ctx.Err() == nil {
		misfits, err = r.checkElection(ctx, i)
	}
	if ctx.Err() != nil {
		r.cut = interrupted
	} else if err != nil {
		return nil, err
	}

	// 3. Run the scenarios, round by round.
	var results []v1alpha1.Result
	if r.cut != "" {
		results = r.allUnjudged(i)
	} else if notStarted != nil {
		results = i.unstarted()
	} else if len(plan.Scenarios) > 0 {
		options.Console.Phase("running the scenarios")
		for round := 1; round <= options.Repeat && r.cut == ""; round++ {
			found, err := r.round(ctx, round)
			if err != nil {
				return nil, err
			}
			results = append(results, found[i]...)
		}
		options.Console.Done("scenarios ran")
	}

	results = append(results, misfits...)

	// 4. Judge, and write the report.
	result, err := r.conclude(i, results, notStarted, time.Since(scenariosBegan))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(report.Write(options.ReportDir, result), page.Write(options.ReportDir, result)); err != nil {
		return result, err
	}

	// 5. Keep everything up if the user asked for that. What breaks now does not change
	//    the verdict.
	if options.Keep {
		options.Console.Warn("everything is kept up until Ctrl+C; KUBECONFIG=%s", sanitize.Word(session.Kubeconfig))
		_ = session.Wait(ctx)
	}
	return result, nil
}

// conclude makes the report of a run from the results of its scenarios, which took that long.
func (r *run) conclude(i *Implementation, results []v1alpha1.Result, notStarted *v1alpha1.NotStarted, took time.Duration) (*v1alpha1.ConformanceReport, error) {
	cut := r.cutShort(i, results)
	if cut == nil {
		if err := r.advise(i, results); err != nil {
			return nil, err
		}
	}
	result, err := r.report(i, append(results, i.Plan.Skipped...), notStarted, cut)
	if err != nil {
		return nil, err
	}
	result.Durations = r.durations(results, took)
	if r.options.Complete != nil {
		result = r.options.Complete(result)
	}
	if r.options.JudgeRest != nil {
		result.JudgeRest = r.options.JudgeRest(result)
	}
	return result, nil
}

// report puts the results in order, adds the circumstances of the run, and concludes.
func (r *run) report(i *Implementation, results []v1alpha1.Result, notStarted *v1alpha1.NotStarted, cut *v1alpha1.CutShort) (*v1alpha1.ConformanceReport, error) {
	i.Plan.sort(results)
	recorded := r.recorded(i)
	p := i.Profile
	report := &v1alpha1.ConformanceReport{
		TypeMeta:       metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.KindConformanceReport},
		Implementation: p.Spec.Implementation,
		Profile:        p.Name,
		Contract:       p.Spec.Contract.Name,
		ProfileDigest:  p.Digest,
		Date:           metav1.Now().Rfc3339Copy(),
		Selection:      r.options.Selection,
		Shard:          r.options.Shard,
		Reproduce:      r.options.Command,
		NotStarted:     notStarted,
		CutShort:       cut,
		Claims:         p.Spec.Claims,
		Expired:        r.options.Expired,
		Unused:         recorded.Unused(),
		Isolation:      r.session.Bench.Isolation(),
		Unserved:       recorded.Unserved(),

		SeenButUnclaimed: recorded.Unclaimed(),
		Measured:         recorded.Times(),
		Rights:           r.rights,
		Results:          results,
		Versions: v1alpha1.Versions{
			Reconform: r.options.Version, Kubernetes: r.session.KubernetesVersion(), Chainsaw: chainsaw.Version,
			Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		},
	}
	if r.options.TimeoutScale != 1 {
		report.TimeoutScale = r.options.TimeoutScale
	}
	verdict.Conclude(i.Plan.all, report)
	report.Known = baseline.Settle(r.options.Known, report.Results, time.Now())
	return report, nil
}

// durations says what the time of the run was spent on, until now.
func (r *run) durations(results []v1alpha1.Result, scenarios time.Duration) v1alpha1.Durations {
	longest := longest(results, r.late)
	return v1alpha1.Durations{
		ControlPlane: rounded(r.session.ControlPlaneTook), Scenarios: rounded(scenarios), LongestScenario: longest,
		Slow: rounded(r.slow), Again: rounded(r.again), Total: rounded(time.Since(r.began)),
		Ratio: ratio(scenarios-r.slow-r.again, longest.Duration, r.options.Repeat),
	}
}

// longest returns the duration of the longest scenario of those that ran at the same time.
func longest(results []v1alpha1.Result, late map[string]bool) (d metav1.Duration) {
	for _, result := range results {
		if !late[result.ID] {
			d.Duration = max(d.Duration, result.Duration.Duration)
		}
	}
	return d
}

// ratio divides the time of all scenarios that run at the same time by that of the longest
// of them, as the mean of the rounds. 1 is the best possible value, and 0 means that no
// scenario took any time.
func ratio(all, longest time.Duration, rounds int) float64 {
	if longest == 0 {
		return 0
	}
	return math.Round(100*all.Seconds()/float64(rounds)/longest.Seconds()) / 100
}

func rounded(d time.Duration) metav1.Duration {
	return metav1.Duration{Duration: d.Round(time.Millisecond)}
}

func (r *run) logDir(namespace string) string {
	return filepath.Join(logDir(r.options.ReportDir), namespace)
}
