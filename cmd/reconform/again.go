package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/envtest"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// rerunFlag selects what did not pass in the last run.
const rerunFlag = "rerun-failed"

// withoutRun adds to the error that a folder has no report what to do.
func withoutRun(err error) error {
	if absent := (*report.AbsentError)(nil); errors.As(err, &absent) {
		return fmt.Errorf("%w; run once without --%s, or name the folder of the earlier run with --report-dir", err, rerunFlag)
	}
	return err
}

// failedBefore keeps the requirements that did not pass in the run whose report is in the
// folder, and what that run did not reach. It returns that report, too. Some scenarios saw a
// violation of an invariant that another requirement judges. They are run again, too:
// otherwise, what they saw would be forgotten if the other requirement passes now.
func failedBefore(requirements []catalogue.Requirement, dir string, p *profile.Profile) ([]catalogue.Requirement, *v1alpha1.ConformanceReport, error) {
	earlier, err := report.Read(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("--%s: %w", rerunFlag, withoutRun(err))
	}
	if earlier.Profile != p.Name {
		return nil, nil, fmt.Errorf("--%s: the report in %s is about profile %s, not %s", rerunFlag, dir, earlier.Profile, p.Name)
	}
	ids := report.NotPassed(earlier)
	if earlier.CutShort != nil {
		ids = append(ids, earlier.CutShort.NotJudged...)
	}
	if len(ids) == 0 {
		return nil, nil, fmt.Errorf("--%s: nothing failed in the run whose report is in %s%s", rerunFlag, dir, before(dir))
	}
	wanted := func(r catalogue.Requirement) bool {
		return slices.Contains(ids, r.ID) ||
			slices.ContainsFunc(earlier.Results, func(result v1alpha1.Result) bool { return result.ID == r.ID && len(result.Beside) > 0 })
	}
	kept := slices.DeleteFunc(requirements, func(r catalogue.Requirement) bool { return !wanted(r) })
	if len(kept) == 0 {
		return nil, nil, fmt.Errorf("--%s: what failed, %s, is not in the selection", rerunFlag, strings.Join(ids, ", "))
	}
	return kept, earlier, nil
}

// sameKubernetes returns an error if this run would be on another version of Kubernetes than the
// earlier one. The report of both would name only one.
func (f *runFlags) sameKubernetes(earlier *v1alpha1.ConformanceReport) error {
	was, now := earlier.Versions.Kubernetes, cmp.Or(f.kubernetes.String(), envtest.Version)
	// The folder of KUBEBUILDER_ASSETS may have any version.
	unknown := f.kubeconfig != "" || len(f.kubernetes) == 0 && os.Getenv("KUBEBUILDER_ASSETS") != ""
	if unknown || was == "" || was == "unknown" || was == now {
		return nil
	}
	return fmt.Errorf("--%s: the report in %s is of Kubernetes %s, and this run would be of %s: give --kubernetes or --kubeconfig as for that one, or run all",
		rerunFlag, f.reportDir, was, now)
}

// before names the report that was moved aside, if there is one.
func before(dir string) string {
	aside := filepath.Join(dir, report.EarlierDir)
	if _, err := os.Stat(filepath.Join(aside, report.YAMLFile)); err != nil {
		return ""
	}
	return fmt.Sprintf("; a longer run before it has its report in %s: --report-dir %[1]s", aside)
}

// again returns the command that judges again what did not pass in this run, and keeps the
// other results. --rerun-failed would also judge what the run did not reach. If there is
// such a rest, the command names what did not pass instead.
func again(cmd *cobra.Command, r *v1alpha1.ConformanceReport) string {
	ids := report.NotPassed(r)
	if len(ids) == 0 {
		return ""
	}
	command := repeated(cmd, "run", "skip", "selector", "shard", rerunFlag)
	if r.CutShort != nil && len(r.CutShort.NotJudged) > 0 {
		return command + " --run " + sanitize.Word(exactly(ids))
	}
	return command + " --" + rerunFlag
}

// judgeRest returns the command that judges what the run of a report left out. If the run was
// cut short, that is --rerun-failed, which keeps the other results. If requirements were not
// selected, it is a run of all, because a verdict needs all in one report.
func judgeRest(cmd *cobra.Command, r *v1alpha1.ConformanceReport) string {
	command := repeated(cmd, "run", "skip", "selector", "shard", "max-time", "fail-fast", "output", "quiet", rerunFlag)
	selected := r.Selection
	selected.RerunFailed = false
	switch {
	case r.CutShort != nil && len(r.CutShort.NotJudged) > 0:
		return command + " --" + rerunFlag
	case r.Shard != nil, selected == v1alpha1.Selection{}, r.Core.Judged == r.Core.Total:
		return ""
	}
	return command
}

// setAside moves the report in the folder aside if the report of this run would replace it
// and judges less. It also does so if the caller gives a reason (why). It says so, and
// returns whether it moved one.
func setAside(dir, shown string, now int, why string, say func(string, ...any)) (moved bool, err error) {
	earlier, err := report.Read(dir)
	if err != nil {
		return false, nil //nolint:nilerr // nothing there, or nothing that anybody could read
	}
	judged := judgedIn(earlier)
	switch {
	case why != "":
	case judged > now:
		why = fmt.Sprintf("it judged %d requirements, and this one %d", judged, now)
	default:
		return false, nil
	}
	if err := report.SetAside(dir); err != nil {
		return false, err
	}
	say("the report of the earlier run is now in %s: %s", filepath.Join(shown, report.EarlierDir), why)
	return true, nil
}

// putBack puts a report that was moved aside in its place again, because the run that should
// have replaced it could not be carried out. It says so.
func putBack(dir, shown string, say func(string, ...any)) error {
	if _, err := report.Read(dir); err == nil {
		return nil // it has written one
	}
	if err := report.PutBack(dir); err != nil {
		return err
	}
	say("the report of the earlier run is again in %s", shown)
	return nil
}

// judgedIn counts the requirements on which a run came to a verdict of its own.
func judgedIn(r *v1alpha1.ConformanceReport) int {
	judged := map[string]bool{}
	for _, result := range r.Results {
		switch result.Verdict {
		case v1alpha1.Passed, v1alpha1.Failed, v1alpha1.Flaky, v1alpha1.ResultInconclusive:
			judged[result.ID] = true
		}
	}
	return len(judged)
}

// repeated returns the command that was given, without some of its flags. A flag with
// several values is given once for each.
func repeated(cmd *cobra.Command, without ...string) string {
	words := []string{cmd.CommandPath()}
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if slices.Contains(without, flag.Name) {
			return
		}
		values := []string{flag.Value.String()}
		if list, isList := flag.Value.(pflag.SliceValue); isList {
			values = list.GetSlice()
		}
		for _, value := range values {
			words = append(words, "--"+flag.Name+"="+sanitize.Word(value))
		}
	})
	return strings.Join(words, " ")
}
