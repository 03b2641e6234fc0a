package main

import (
	"errors"
	"io/fs"

	"github.com/spf13/cobra"

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
	if err := report.ClearExplored(reportDir); err != nil {
		return benchError{err}
	}
	for i := range merged.Causes {
		c := &merged.Causes[i]
		if c.Scenario == "" {
			continue
		}
		at, err := explore.CopyScenario(reportDir, c.Scenario, i+1)
		if errors.Is(err, fs.ErrNotExist) { // the folder was moved without it
			c.Scenario = ""
			continue
		} else if err != nil {
			return benchError{err}
		}
		c.Scenario, c.Reproduce = at, explore.Reproduce(merged.Profile, reportDir, i+1)
	}
	sanitize.All(merged)
	err = output.tellExplored(cmd, merged)
	if err := errors.Join(err, report.WriteExplored(reportDir, merged), page.WriteExplored(reportDir, merged)); err != nil {
		return benchError{err}
	}
	return exploredStatus(cmd, merged)
}
