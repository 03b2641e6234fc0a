package main

import (
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/explore"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/report/merge"
	"reconform.dev/reconform/internal/report/page"
)

// mergeExplored merges the reports of explorations.
func mergeExplored(cmd *cobra.Command, parts []merge.ExploredPart, dirs []string, reportDir string, output outputFlags) error {
	merged, err := merge.Explored(parts)
	if err != nil {
		return err
	}
	held, err := holdApart(reportDir, dirs)
	if err != nil {
		return err
	}
	defer held.Release()
	failed := report.ClearExplored(reportDir)
	if failed == nil {
		failed = copyScenarios(reportDir, merged)
	}
	sanitize.All(merged)
	err = output.tellExplored(cmd, merged) // before the report: a full disk must not hide the result
	if err := errors.Join(err, failed, report.WriteExplored(reportDir, merged), page.WriteExplored(reportDir, merged)); err != nil {
		return benchError{err}
	}
	return exploredStatus(cmd, merged)
}

// copyScenarios copies the scenario of each cause beside the merged report. A cause whose
// scenario cannot be copied names none.
func copyScenarios(dir string, merged *v1alpha1.ExploreReport) error {
	var failed error // the first: on a full disk there would be one for each cause
	for i := range merged.Causes {
		c := &merged.Causes[i]
		if c.Scenario == "" {
			continue
		}
		at, err := explore.CopyScenario(dir, c.Scenario, i+1)
		if err != nil {
			c.Scenario, c.Reproduce = "", ""
			if failed == nil && !errors.Is(err, fs.ErrNotExist) { // the folder was moved without it
				failed = err
			}
			continue
		}
		c.Scenario, c.Reproduce = at, explore.Reproduce(merged, dir, i+1)
	}
	return failed
}
