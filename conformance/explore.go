package conformance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/verdict/baseline"
)

// ExploreOptions of an exploration. Files are relative to the folder of the test.
type ExploreOptions struct {
	// Profile of the controller: a file, or the name of a built-in one.
	Profile string

	// Budget ends the exploration after this time; 0 means that everything is explored.
	// Before the time of go test is over, it ends in any case.
	Budget time.Duration

	// Operations that are disturbed, such as create and edit; empty means all.
	Operations []string

	// Disturbances that are tried, such as crash-after and conflict; empty means all.
	Disturbances []string

	// Pairs also tries two disturbances in one plan, after all plans with one. They are many, so
	// give a Budget.
	Pairs bool

	// Seed decides the order of plans that are as good as each other; 0 means 1.
	Seed int64

	// Known is a file of known failures. A cause in it is skipped, until its last day.
	Known string

	// ReportDir is the folder for the report, the scenarios, the history and the logs.
	// It must be empty, or have those of an earlier exploration, which are replaced.
	// The default is explore-reports.
	ReportDir string

	// Resume goes on with the exploration in ReportDir, if there is one.
	Resume bool

	// Kubernetes is the version of the control plane: see [Options].
	Kubernetes string

	// Parallel is how many plans are carried out at the same time; 0 means as many as the
	// machine can.
	Parallel int

	// Command is the program: see [Options].
	Command string
}

// reportDir returns the folder of the report.
func (o *ExploreOptions) reportDir() string {
	if o.ReportDir == "" {
		return "explore-reports"
	}
	return o.ReportDir
}

// flags of `reconform explore`.
func (o *ExploreOptions) flags() []string {
	flags := []string{"--report-dir=" + o.reportDir()}
	for _, flag := range []struct{ name, value, unset string }{
		{"profile", o.Profile, ""},
		{"budget", o.Budget.String(), "0s"},
		{"operations", strings.Join(o.Operations, ","), ""},
		{"disturbances", strings.Join(o.Disturbances, ","), ""},
		{"pairs", strconv.FormatBool(o.Pairs), "false"},
		{"seed", strconv.FormatInt(o.Seed, 10), "0"},
		{"known", o.Known, ""},
		{"kubernetes", o.Kubernetes, ""},
		{"parallel", strconv.Itoa(o.Parallel), "0"},
	} {
		if flag.value != flag.unset {
			flags = append(flags, "--"+flag.name+"="+flag.value)
		}
	}
	if _, err := os.Stat(filepath.Join(o.reportDir(), "explore-kept.jsonl")); o.Resume && err == nil {
		flags = append(flags, "--resume")
	}
	return flags
}

// Explore searches for disturbances after which a controller ends up elsewhere than without
// them. Each cause that is confirmed fails a subtest with the ID of the cause, with what
// differs, the requests that prove it and the command that reproduces it. A known cause
// skips its subtest.
//
// It returns the report, which is nil if nothing could be explored: then t has failed with
// the reason. A budget that is spent is not a failure. An exploration without any conclusion
// is one; its message begins with INCONCLUSIVE. Like [Run] it leaves nothing running.
func Explore(t *testing.T, options ExploreOptions) *v1alpha1.ExploreReport {
	t.Helper()
	ctx, stop := limited(t)
	defer stop()
	c, err := find(ctx, &Options{Profile: options.Profile, Command: options.Command}, progress(t))
	if err == nil {
		err = c.provide(ctx)
	}
	var text string
	if err == nil {
		text, err = c.carryOut(ctx, exploreFile(options.reportDir()), append([]string{"explore", "--quiet"}, options.flags()...)...)
	}
	var report *v1alpha1.ExploreReport
	if err == nil {
		report, err = readExplored(options.reportDir())
	}
	if err != nil {
		t.Errorf("nothing was explored: %v", errors.Join(cause(ctx), err))
		return nil
	}
	uncached(options.reportDir())
	for _, c := range report.Causes {
		t.Run(c.ID, endingOf(c, report.Known))
	}
	say(t, strings.TrimSpace(text))
	if err := cause(ctx); err != nil {
		t.Errorf("INCONCLUSIVE: %v", err)
	} else if baseline.Explored(report) == v1alpha1.ExploredInconclusive {
		t.Errorf("INCONCLUSIVE: %s", report.Reason)
	}
	return report
}

func exploreFile(dir string) string { return filepath.Join(dir, "explore-report.yaml") }

// readExplored reads the report of an exploration.
func readExplored(dir string) (*v1alpha1.ExploreReport, error) {
	data, err := os.ReadFile(exploreFile(dir))
	if err != nil {
		return nil, fmt.Errorf("reading the report: %w", err)
	}
	report := &v1alpha1.ExploreReport{}
	if err := yaml.Unmarshal(data, report); err != nil {
		return nil, fmt.Errorf("reading the report %s: %w", exploreFile(dir), err)
	}
	return report, nil
}

// endingOf returns how the subtest of a cause ends.
func endingOf(c v1alpha1.ExploredCause, known []v1alpha1.KnownResult) func(*testing.T) {
	if k := baseline.OfCause(c, known); k != nil {
		return skippedAsKnown(k, c.About)
	}
	lines := []string{fmt.Sprintf("DIVERGES %s: %s", c.ID, c.About)}
	if len(c.Cases) > 0 {
		first := c.Cases[0]
		lines = append(lines, fmt.Sprintf("plan: %s (came in %d of %d tries)", first.Plan, first.Came, first.Tries))
		for _, d := range first.Divergences {
			lines = append(lines, "  "+d.InWords())
		}
		lines = slices.Concat(lines, []string{"the requests around it:"}, indented(first.Requests))
	}
	if c.Reproduce != "" {
		lines = append(lines, "reproduce with: "+c.Reproduce)
	}
	return failed(strings.Join(lines, "\n"))
}

func indented(lines []string) []string {
	var all []string
	for _, line := range lines {
		all = append(all, "  "+line)
	}
	return all
}
