package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/bench/cluster"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/runner"
	"reconform.dev/reconform/internal/verdict"
	"reconform.dev/reconform/internal/verdict/baseline"
)

type runFlags struct {
	profile       string
	selection     selectionFlags
	rerunFailed   bool
	parallel      int
	repeat        int
	failFast      bool
	maxTime       time.Duration
	known         string
	shard         string
	timeoutScale  float64
	kubernetes    kubernetesVersions
	kubeconfig    string
	context       string
	inCluster     bool
	yes           bool
	keep          bool
	unconfined    bool
	replaceCRDs   bool
	imagePrefix   string
	reportDir     string
	cpuProfileDir string
	output        outputFlags
}

func newRunCommand() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "run [ID…]",
		Short: "Judge a controller and say which requirements it meets",
		Long: `Start a control plane and the controller of a profile on it, run a scenario for each
requirement, and say which ones it meets. The reports go to --report-dir.

IDs are requirements to judge, in upper or lower case. Without them, and without --run,
--skip and -l, all are judged that the profile claims.

Exit status: 0 conformant, or partial: nothing failed, but not every core requirement was
judged; 1 not conformant: something failed, or is flaky; 2 wrong usage, or nothing was
selected; 3 inconclusive, or interrupted, or the bench failed.`,
		Example: `  reconform run                              the reference controller, everything
  reconform run --profile mine.yaml          your own
  reconform run --profile mine.yaml SH-004   one requirement
  reconform run --run '^SH-'                 one area
  reconform run -l level=core                the core requirements
  reconform run --rerun-failed               what did not pass in the last run`,
		ValidArgsFunction: requirementIDs,
		RunE: func(cmd *cobra.Command, ids []string) error {
			if err := flags.selection.only(cmd, ids); err != nil {
				return err
			}
			if err := aboveZero(cmd, "parallel", "max-time"); err != nil {
				return err
			}
			if len(flags.kubernetes) > 1 {
				return flags.runOnEach(cmd)
			}
			_, err := flags.execute(cmd)
			return err
		},
	}
	flags.add(cmd)
	return cmd
}

// add adds the flags to a command.
func (f *runFlags) add(cmd *cobra.Command) {
	set := cmd.Flags()
	profileFlag(cmd, &f.profile)
	f.selection.add(cmd)
	f.output.add(cmd)
	unconfinedFlag(cmd, &f.unconfined)
	set.BoolVar(&f.replaceCRDs, "replace-crds", false, "with --kubeconfig, replace CRDs of the cluster that differ from the profile's")
	set.StringVar(&f.imagePrefix, "image-prefix", "", "with --kubeconfig, the `REGISTRY` that has the image of Pods, such as registry.example/team; without it, the nodes have it")
	set.BoolVar(&f.rerunFailed, rerunFlag, false, "only what failed, was inconclusive, blocked or not reached, or saw an invariant broken, by the report in --report-dir; the other results are kept")
	set.IntVar(&f.parallel, "parallel", 0, "run `N` scenarios at the same time (default: as many as the machine can)")
	set.IntVar(&f.repeat, "repeat", 1, "run each scenario `N` times")
	set.BoolVar(&f.failFast, "fail-fast", false, "start no scenario once one is sure to be reported as failed")
	set.DurationVar(&f.maxTime, "max-time", 0, "end the run after this `TIME`, as in 5m, and say what was not judged")
	set.StringVar(&f.known, "known", "", "`FILE` with known failures: the exit status counts what is new only")
	set.StringVar(&f.shard, "shard", "", "run the `I/N`-th part of the selection only, as in 1/3")
	set.Float64Var(&f.timeoutScale, "timeout-scale", 1, "multiply every time limit by `X`; below 1, sound controllers may fail")
	addVersion(cmd, &f.kubernetes, "; several, as in 1.34,1.37, are judged one after the other, and shown side by side")
	set.StringVar(&f.kubeconfig, "kubeconfig", "", "run on the cluster of this `FILE`, instead of a temporary control plane")
	set.StringVar(&f.context, "context", "", "with --kubeconfig, use the context `NAME` of that file, instead of its current one")
	set.BoolVar(&f.yes, "yes-this-cluster", false, "with --kubeconfig, use the cluster though it does not look like one for tests")
	set.BoolVar(&f.inCluster, "in-cluster", false, "with --kubeconfig, run the controller there as it is shipped, as Pods: see launch.inCluster of a profile")
	set.BoolVar(&f.keep, "keep", false, "keep everything up after the run, until Ctrl+C")
	set.StringVar(&f.reportDir, "report-dir", "reports", "`DIR` folder for the reports, the history and the logs")
	set.StringVar(&f.cpuProfileDir, "cpu-profiles", "", "write to `DIR` profiles of the bench and of the control plane, what each program used, and who sent the requests")
	complete(cmd, "known", manifests)
	for _, dir := range []string{"report-dir", "cpu-profiles"} {
		complete(cmd, dir, folders)
	}
}

// execute judges the implementation once, prints the result, and writes the reports into
// --report-dir. If there is a report, the error is only the exit status.
func (f *runFlags) execute(cmd *cobra.Command) (*v1alpha1.ConformanceReport, error) {
	options, err := f.options(cmd)
	if err != nil {
		return nil, err
	}
	p, err := f.load()
	if err != nil {
		return nil, err
	}
	options.Profile, options.Expired = p, p.Expire(time.Now())
	known, err := readKnown(f.known)
	if err != nil {
		return nil, err
	}
	options.Known = baseline.Requirements(known)
	// Planning renders each scenario, which takes longer than all that is checked above.
	plan, renewed, err := f.plan(p, options.Shard)
	if err != nil {
		return nil, err
	}
	why := ""
	if renewed != nil {
		if why = renewed.problem(p.Digest, options.Expired); why == "" {
			renewed.known, options.Complete = options.Known, renewed.complete
			plan.Passed = renewed.passed()
		}
	}
	var before *v1alpha1.ConformanceReport
	if f.repeat == 1 {
		before, _ = report.Read(options.ReportDir) // if it cannot be read, its time is not said
	}
	held, err := folder.Hold(options.ReportDir)
	if err != nil {
		return nil, fmt.Errorf("--report-dir: %w", err)
	}
	defer held.Release()
	screen := f.output.console(cmd)
	options.Console = screen
	options.Fitted = func() { screen.Printf("%s", beginning(plan, before, p.Digest)) }
	moved := false
	if options.Complete == nil {
		if moved, err = setAside(options.ReportDir, f.reportDir, len(plan.Scenarios), why, screen.Warn); err != nil {
			screen.Close()
			return nil, benchError{err}
		}
	}
	for _, note := range p.Notes() {
		screen.Printf("note: %s", note)
	}
	result, err := runner.Run(cmd.Context(), plan, options)
	screen.Close() // before anything else is printed
	if result == nil {
		switch {
		case options.Complete != nil:
			err = errors.Join(err, renewed.restore(options.ReportDir))
		case moved:
			err = errors.Join(err, putBack(options.ReportDir, f.reportDir, screen.Warn))
		}
		return nil, benchError{err}
	}
	return f.conclude(cmd, result, renewed, err)
}

// options returns what the flags say of the run, or what is wrong with them. They are checked
// first: a profile whose program must be built takes longer to mend.
func (f *runFlags) options(cmd *cobra.Command) (runner.Options, error) {
	var none runner.Options
	if err := f.output.check(); err != nil {
		return none, err
	}
	dir, err := filepath.Abs(f.reportDir)
	if err != nil {
		return none, fmt.Errorf("finding %s: %w", f.reportDir, err)
	}
	shard, err := shardOf(f.shard)
	if err != nil {
		return none, err
	}
	options := runner.Options{
		ProfileArgument: sanitize.Word(f.profile), Selection: f.selection.selection(), Shard: shard,
		Parallel: f.parallel, Repeat: f.repeat, TimeoutScale: f.timeoutScale,
		Kubeconfig: f.kubeconfig, Context: f.context, Kubernetes: f.kubernetes.String(), InCluster: f.inCluster, FailFast: f.failFast, MaxTime: f.maxTime, Keep: f.keep, Unconfined: f.unconfined,
		ReplaceCRDs: f.replaceCRDs, ImagePrefix: f.imagePrefix,
		ReportDir: dir, Version: version, Command: repeated(cmd, "report-dir", "output", "quiet"),
		CPUProfileDir: f.cpuProfileDir,
		JudgeRest:     func(r *v1alpha1.ConformanceReport) string { return judgeRest(cmd, r) },
	}
	options.Selection.RerunFailed = f.rerunFailed
	if f.selection.scenarios.dir != "" {
		options.ScenarioArgument = sanitize.Word(f.selection.scenarios.dir)
	}
	if err := errors.Join(options.Validate(), f.selection.check(), f.checkKubeconfig()); err != nil {
		return none, err
	}
	return options, nil
}

// load reads the profile, and checks that what starting its controller needs is there.
func (f *runFlags) load() (*profile.Profile, error) {
	if !f.inCluster {
		return loadToStart(f.profile)
	}
	p, err := profile.Resolve(f.profile) // the image has the files that its controller needs
	if err != nil {
		return nil, err
	}
	return p, p.CheckInCluster()
}

// conclude prints the result of a run. The error is only the exit status, unless the result could
// not be told. failed is what went wrong with the bench although there is a report.
func (f *runFlags) conclude(cmd *cobra.Command, result *v1alpha1.ConformanceReport, renewed *renewal, failed error) (*v1alpha1.ConformanceReport, error) {
	written, rerun := f.reportDir, again(cmd, result)
	if failed != nil { // a full disk must not hide the verdict
		written, rerun = "", ""
	}
	if err := errors.Join(f.output.tell(cmd, result, written, rerun), failed); err != nil {
		return nil, benchError{err}
	}
	cut := result.CutShort != nil || renewed != nil && renewed.cut
	if cut && cmd.Context().Err() != nil {
		return result, statusError(statusInconclusive)
	}
	if status := verdict.ExitStatus(baseline.Verdict(result)); status != statusOK {
		return result, statusError(status)
	}
	return result, nil
}

// checkKubeconfig says why the cluster cannot be used, or why the user must confirm that
// first.
func (f *runFlags) checkKubeconfig() error {
	switch {
	case f.kubeconfig == "" && f.inCluster:
		return errors.New("--in-cluster needs --kubeconfig: name the file of the cluster")
	case f.kubeconfig == "" && f.context != "":
		return errors.New("--context needs --kubeconfig: it names one of the contexts in that file")
	case f.kubeconfig == "" && f.yes:
		return errors.New("--yes-this-cluster needs --kubeconfig: name the file of the cluster")
	case f.kubeconfig == "" && f.replaceCRDs:
		return errors.New("--replace-crds needs --kubeconfig: name the file of the cluster")
	case f.kubeconfig == "" && f.imagePrefix != "":
		return errors.New("--image-prefix needs --kubeconfig: name the file of the cluster")
	case f.kubeconfig == "":
		return nil
	case len(f.kubernetes) > 0:
		return errors.New("--kubernetes: the cluster of --kubeconfig has a version of its own; give one of the two")
	}
	if _, _, err := cluster.Connect(f.kubeconfig, f.context); err != nil {
		return fmt.Errorf("--kubeconfig: %w", err)
	}
	if f.yes {
		return nil
	}
	if err := cluster.LooksLikeProduction(f.kubeconfig, f.context); err != nil {
		return fmt.Errorf("--kubeconfig: %w; if it is the right one: --yes-this-cluster", err)
	}
	return nil
}
