package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/explore"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/report/page"
	"reconform.dev/reconform/internal/runner"
	"reconform.dev/reconform/internal/verdict/baseline"
)

type exploreFlags struct {
	profile    string
	budget     time.Duration
	operations []string
	ways       []string
	seed       int64
	shard      string
	known      string
	resume     bool
	pairs      bool
	parallel   int
	reportDir  string
	kubernetes string
	unconfined bool
	// cpuProfileDir, if not empty, is the folder for CPU profiles.
	cpuProfileDir string
	output        outputFlags
}

// statusDiverges is the exit status if there is a divergence.
const statusDiverges = 1

func newExploreCommand() *cobra.Command {
	var flags exploreFlags
	cmd := &cobra.Command{
		Use:   "explore",
		Short: "Search for disturbances after which a controller ends up elsewhere",
		Long: `Do what users do with an object of the controller (create, edit, delete, drift, …), disturb
each operation once at each point where it can be disturbed (a crash, a lost answer, a conflict,
a frozen watch, an edit meanwhile, …), and compare the outcome with the undisturbed one.

A divergence is reported if it comes at least twice. Divergences of the same object and field
are one cause; each is written out as a scenario that reproduces it.

What is found is kept at once. An exploration that was interrupted, or whose budget was spent, goes
on with --resume: what was done is not done again.

Exit status: 0 no confirmed divergence in what was explored, but those of --known; 1 at least one; 2
wrong usage, or a controller that cannot be explored; 3 inconclusive, or interrupted, or the bench
failed.`,
		Example: `  reconform explore --profile mine.yaml                         everything
  reconform explore --profile mine.yaml --budget 5m             as much as fits into five minutes
  reconform explore --profile mine.yaml --operations create,edit
  reconform explore --profile mine.yaml --budget 5m --resume    go on for five minutes more
  reconform explore --profile mine.yaml --shard 1/3             a third of it; reconform merge puts the shards together`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error { return flags.execute(cmd) },
	}
	profileFlag(cmd, &flags.profile)
	f := cmd.Flags()
	f.DurationVar(&flags.budget, "budget", 0, "end after this `TIME`, as in 5m, and say what was not explored; left out: explore everything")
	f.StringSliceVar(&flags.operations, "operations", nil, "disturb these `OPERATIONS` only: "+strings.Join(explore.Sorts(), ", "))
	f.StringSliceVar(&flags.ways, "disturbances", nil, "disturb them in these `WAYS` only, as in conflict,crash-after: docs/explore.md lists them")
	f.Int64Var(&flags.seed, "seed", 1, "`N` that decides the order of plans which are as good as each other")
	f.StringVar(&flags.shard, "shard", "", "carry out the `I/N`-th part of the plans only, as in 1/3")
	f.StringVar(&flags.known, "known", "", "`FILE` with known failures, by the IDs of causes: the exit status counts what is new only")
	f.BoolVar(&flags.pairs, "pairs", false, "have two disturbances in one plan, too, after all plans with one; they are many, so give a budget")
	f.BoolVar(&flags.resume, "resume", false, "go on with the exploration in --report-dir")
	f.IntVar(&flags.parallel, "parallel", 0, "carry out `N` plans at the same time (default: as many as the machine can)")
	f.StringVar(&flags.reportDir, "report-dir", "reports", "`DIR` folder for the report, the scenarios, the history and the logs")
	f.StringVar(&flags.cpuProfileDir, "cpu-profiles", "", "write to `DIR` profiles of the bench and of the control plane, what each program used, and who sent the requests")
	kubernetesFlag(cmd, &flags.kubernetes)
	unconfinedFlag(cmd, &flags.unconfined)
	complete(cmd, "report-dir", folders)
	complete(cmd, "cpu-profiles", folders)
	complete(cmd, "operations", cobra.FixedCompletions(explore.Sorts(), cobra.ShellCompDirectiveNoFileComp))
	complete(cmd, "disturbances", cobra.FixedCompletions(explore.Ways(), cobra.ShellCompDirectiveNoFileComp))
	complete(cmd, "known", manifests)
	flags.output.add(cmd)
	return cmd
}

// plansPerCore is how many plans are carried out at the same time for each core.
const plansPerCore = 8

// mostPlans is the limit for --parallel.
const mostPlans = 200

func (f *exploreFlags) check() error {
	for _, chosen := range []struct {
		flag, what string
		some, all  []string
	}{
		{"operations", "operation", f.operations, explore.Sorts()},
		{"disturbances", "disturbance", f.ways, explore.Ways()},
	} {
		for _, one := range chosen.some {
			if !slices.Contains(chosen.all, one) {
				return fmt.Errorf("--%s: there is no %s %q; there are: %s", chosen.flag, chosen.what, one, strings.Join(chosen.all, ", "))
			}
		}
	}
	if f.parallel > mostPlans {
		return fmt.Errorf("--parallel is %d; allowed: 1 to %d", f.parallel, mostPlans)
	}
	return nil
}

func (f *exploreFlags) execute(cmd *cobra.Command) (err error) {
	if err := errors.Join(f.check(), aboveZero(cmd, "parallel", "budget"), notEmpty(cmd, "operations", "disturbances"), f.output.check()); err != nil {
		return err
	}
	p, err := loadToStart(f.profile)
	if err != nil {
		return err
	}
	tellNotes(cmd, p)
	target, err := explore.FromProfile(p)
	if err != nil {
		return err
	}
	known, err := readKnown(f.known)
	if err != nil {
		return err
	}
	options, err := f.options(p)
	if err != nil {
		return err
	}
	if f.parallel > options.Parallel {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: --parallel %d has no effect: the profile allows only one plan at a time\n", f.parallel)
	}
	dir, err := filepath.Abs(f.reportDir)
	if err != nil {
		return fmt.Errorf("finding %s: %w", f.reportDir, err)
	}
	held, err := folder.Hold(dir)
	if err != nil {
		return fmt.Errorf("--report-dir: %w", err)
	}
	defer held.Release()
	if options.Kept, err = f.keep(cmd, p, dir, options); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, options.Kept.Close()) }()
	options.Console = f.output.console(cmd)
	found, failed := f.explore(cmd, target, options, dir)
	options.Console.Close() // before anything else is printed
	if found == nil || explore.IsUnfit(failed) {
		return failed
	}
	// What was found is told even if the bench broke later.
	result := found.Report()
	result.Version, result.Profile, result.Reproduce = version, f.profile, repeated(cmd, "report-dir", "cpu-profiles", "output", "quiet", "resume")
	result.Known = baseline.SettleCauses(known, result, time.Now())
	told := f.tell(cmd, found, result, dir)
	var status statusError
	if failed != nil && (told == nil || errors.As(told, &status)) {
		return failed
	}
	return errors.Join(told, failed)
}

// options returns what the flags say.
func (f *exploreFlags) options(p *profile.Profile) (explore.Options, error) {
	shard, err := shardOf(f.shard)
	options := explore.Options{Budget: f.budget, Sorts: f.operations, Ways: f.ways, Seed: f.seed, Shard: shard, Pairs: f.pairs, Parallel: f.parallel, Kubernetes: f.kubernetes}
	if options.Parallel == 0 {
		options.Parallel, options.Adapt = plansPerCore*runtime.GOMAXPROCS(0), true
	}
	if p.Spec.Launch.Serial || p.ServesCluster() {
		options.Parallel = 1
	}
	return options, err
}

// keep begins the file of what is done, or goes on with it. If it begins anew where something
// was done before, it says so.
func (f *exploreFlags) keep(cmd *cobra.Command, p *profile.Profile, dir string, options explore.Options) (*explore.Kept, error) {
	identity, err := explore.Identify(p, version, options)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, explore.KeptFile)
	if f.resume {
		kept, err := explore.Resume(path, identity)
		if err != nil {
			return nil, fmt.Errorf("--resume: %w", err)
		}
		if err := report.SetHistoryAside(dir); err != nil {
			return nil, benchError{errors.Join(err, kept.Close())}
		}
		return kept, nil
	}
	if _, err := os.Stat(path); err == nil {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: this begins anew, in the place of the exploration in %s; --resume goes on with one\n", f.reportDir)
	}
	if err := report.ClearExplored(dir); err != nil {
		return nil, benchError{err}
	}
	kept, err := explore.Keep(path, identity)
	if err != nil {
		return nil, benchError{err}
	}
	return kept, nil
}

// explore explores a controller on a bench of its own. Nothing is left up when it returns.
func (f *exploreFlags) explore(cmd *cobra.Command, target *explore.Target, options explore.Options, dir string) (_ *explore.Exploration, err error) {
	ctx := cmd.Context()
	session, err := runner.OpenSession(ctx, runner.SessionOptions{
		Profile: target.Profile, Kubernetes: f.kubernetes, Dir: dir, TimeoutScale: 1, Console: options.Console, Unconfined: f.unconfined, Bystanders: true,
		CPUProfileDir: f.cpuProfileDir,
	})
	if err != nil {
		return nil, benchError{err}
	}
	defer func() {
		if closed := session.Close(ctx); closed != nil && err == nil {
			err = benchError{closed}
		}
	}()
	options.Console.Phase("starting the controller once")
	var not *subject.NotStarting
	if err := session.Bench.Preflight(ctx); errors.As(err, &not) {
		return nil, fmt.Errorf("%w; its output is in %s", err, filepath.Join(dir, report.LogDir, not.Namespace))
	} else if err != nil {
		return nil, benchError{err}
	}
	options.Console.Done("controller starts: ready")
	found, err := explore.Explore(ctx, session, target, options)
	if err != nil && !explore.IsUnfit(err) {
		return found, benchError{err}
	}
	return found, err
}

// tell prints the result, writes the report, and says where it is. The result comes first: a
// full disk must not hide what was found.
func (f *exploreFlags) tell(cmd *cobra.Command, found *explore.Exploration, result *v1alpha1.ExploreReport, dir string) error {
	failed := found.WriteScenarios(dir, result)
	shown := result.DeepCopy()
	sanitize.All(shown)
	failed = errors.Join(failed, f.output.tellExplored(cmd, shown))
	if err := errors.Join(failed, report.WriteExplored(dir, result), page.WriteExplored(dir, result)); err != nil {
		return benchError{err}
	}
	if f.output.format == formatText && !f.output.quiet {
		fmt.Fprintf(cmd.OutOrStdout(), "report: %s (to look at); beside it: %s, %s\n",
			filepath.Join(f.reportDir, report.ExploredPageFile), report.ExploredFile, report.SummaryFile)
	}
	return exploredStatus(cmd, result)
}

// exploredStatus returns the exit status of an exploration, as an error.
func exploredStatus(cmd *cobra.Command, r *v1alpha1.ExploreReport) error {
	verdict := baseline.Explored(r)
	switch {
	case cmd.Context().Err() != nil || verdict == v1alpha1.ExploredInconclusive:
		return statusError(statusInconclusive)
	case verdict == v1alpha1.Diverges:
		return statusError(statusDiverges)
	}
	return nil
}
