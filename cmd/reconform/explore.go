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
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/explore"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/runner"
)

type exploreFlags struct {
	profile    string
	budget     time.Duration
	operations []string
	seed       int64
	parallel   int
	reportDir  string
	unconfined bool
}

// statusDiverges is the exit status if there is a divergence.
const statusDiverges = 1

// exploreReportFile is the file of the report, in --report-dir.
const exploreReportFile = "explore-report.yaml"

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

Exit status: 0 no confirmed divergence in what was explored; 1 at least one; 2 wrong usage, or a
controller that cannot be explored; 3 inconclusive, or interrupted, or the bench failed.`,
		Example: `  reconform explore --profile mine.yaml                         everything
  reconform explore --profile mine.yaml --budget 5m             as much as fits into five minutes
  reconform explore --profile mine.yaml --operations create,edit`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return flags.execute(cmd) },
	}
	profileFlag(cmd, &flags.profile)
	f := cmd.Flags()
	f.DurationVar(&flags.budget, "budget", 0, "end after this `TIME`, as in 5m, and say what was not explored; left out: explore everything")
	f.StringSliceVar(&flags.operations, "operations", nil, "disturb these `OPERATIONS` only: "+strings.Join(explore.Sorts(), ", "))
	f.Int64Var(&flags.seed, "seed", 1, "`N` that decides the order of plans which are as good as each other")
	f.IntVar(&flags.parallel, "parallel", 0, "carry out `N` plans at the same time (default: as many as the machine can)")
	f.StringVar(&flags.reportDir, "report-dir", "reports", "`DIR` folder for the report, the scenarios, the history and the logs")
	unconfinedFlag(cmd, &flags.unconfined)
	complete(cmd, "report-dir", folders)
	return cmd
}

// plansPerCore is how many plans are carried out at the same time for each core.
const plansPerCore = 8

// mostPlans is the limit for --parallel.
const mostPlans = 200

func (f *exploreFlags) check() error {
	for _, sort := range f.operations {
		if !slices.Contains(explore.Sorts(), sort) {
			return fmt.Errorf("--operations: there is no operation %q; there are: %s", sort, strings.Join(explore.Sorts(), ", "))
		}
	}
	switch {
	case f.budget < 0:
		return fmt.Errorf("--budget is %s; it must be longer than 0, as in 5m", f.budget)
	case f.parallel < 0 || f.parallel > mostPlans:
		return fmt.Errorf("--parallel is %d; allowed: 1 to %d", f.parallel, mostPlans)
	case f.reportDir == "":
		return errors.New("--report-dir is empty")
	}
	return nil
}

func (f *exploreFlags) execute(cmd *cobra.Command) (err error) {
	if err := f.check(); err != nil {
		return err
	}
	p, err := loadProfile(f.profile, true)
	if err != nil {
		return err
	}
	target, err := explore.FromProfile(p)
	if err != nil {
		return err
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
	if err := clearExploration(dir); err != nil {
		return benchError{err}
	}
	options := explore.Options{Budget: f.budget, Sorts: f.operations, Seed: f.seed, Parallel: f.parallel}
	if options.Parallel == 0 {
		options.Parallel = plansPerCore * runtime.GOMAXPROCS(0)
	}
	if p.Spec.Launch.Serial {
		options.Parallel = 1
	}
	screen := report.NewConsole(cmd.ErrOrStderr())
	options.Console = screen
	found, err := f.explore(cmd, target, options, dir)
	screen.Close() // before anything else is printed
	if err != nil {
		return err
	}
	return f.tell(cmd, found, dir)
}

// clearExploration removes what an earlier exploration has left in the folder.
func clearExploration(dir string) error {
	if err := report.Clear(dir); err != nil {
		return err
	}
	for _, name := range []string{exploreReportFile, explore.ScenarioDir} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("removing the report of an earlier exploration: %w", err)
		}
	}
	return nil
}

// explore explores a controller on a bench of its own. Nothing is left up when it returns.
func (f *exploreFlags) explore(cmd *cobra.Command, target *explore.Target, options explore.Options, dir string) (_ *explore.Exploration, err error) {
	ctx := cmd.Context()
	session, err := runner.OpenSession(ctx, runner.SessionOptions{
		Profile: target.Profile, Dir: dir, TimeoutScale: 1, Console: options.Console, Unconfined: f.unconfined, Bystanders: true,
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
		return nil, benchError{err}
	}
	return found, err
}

// tell writes the report and prints its summary.
func (f *exploreFlags) tell(cmd *cobra.Command, found *explore.Exploration, dir string) error {
	result := found.Report()
	result.Version, result.Profile = version, f.profile
	if err := found.WriteScenarios(dir, result); err != nil {
		return benchError{err}
	}
	data, err := yaml.Marshal(result)
	if err != nil {
		return benchError{fmt.Errorf("encoding the report: %w", err)}
	}
	if err := os.WriteFile(filepath.Join(dir, exploreReportFile), data, 0o644); err != nil {
		return benchError{fmt.Errorf("writing the report: %w", err)}
	}
	out := cmd.OutOrStdout()
	fmt.Fprint(out, sanitize.Text(explore.Summary(result)))
	fmt.Fprintf(out, "report: %s\n", filepath.Join(f.reportDir, exploreReportFile))
	switch {
	case cmd.Context().Err() != nil || result.Verdict == v1alpha1.ExploredInconclusive:
		return statusError(statusInconclusive)
	case result.Verdict == v1alpha1.Diverges:
		return statusError(statusDiverges)
	}
	return nil
}
