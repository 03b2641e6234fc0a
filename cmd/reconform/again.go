package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// rerunFlag selects what did not pass in the last run.
const rerunFlag = "rerun-failed"

// failedBefore keeps the requirements that did not pass in the run whose report is in the
// folder, and what that run did not reach. It returns that report, too.
func failedBefore(requirements []catalogue.Requirement, dir string, p *profile.Profile) ([]catalogue.Requirement, *v1alpha1.ConformanceReport, error) {
	earlier, err := report.Read(dir)
	if err != nil {
		return nil, nil, fmt.Errorf("--%s: %w", rerunFlag, err)
	}
	if earlier.Profile != p.Name {
		return nil, nil, fmt.Errorf("--%s: the report in %s is about profile %s, not %s", rerunFlag, dir, earlier.Profile, p.Name)
	}
	ids := report.NotPassed(earlier)
	if earlier.CutShort != nil {
		ids = append(ids, earlier.CutShort.NotJudged...)
	}
	if len(ids) == 0 {
		return nil, nil, fmt.Errorf("--%s: nothing failed in the run whose report is in %s", rerunFlag, dir)
	}
	kept := slices.DeleteFunc(requirements, func(r catalogue.Requirement) bool { return !slices.Contains(ids, r.ID) })
	if len(kept) == 0 {
		return nil, nil, fmt.Errorf("--%s: what failed, %s, is not in the selection", rerunFlag, strings.Join(ids, ", "))
	}
	return kept, earlier, nil
}

// again returns the command that runs these requirements as this run did.
func again(cmd *cobra.Command, ids []string) string {
	return repeated(cmd, "run", "skip", "selector", "shard", rerunFlag) + " --run " + quoted(exactly(ids))
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
			words = append(words, "--"+flag.Name+"="+quoted(value))
		}
	})
	return strings.Join(words, " ")
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_./:=,@%+-]+$`)

// quoted quotes a word for a shell.
func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
