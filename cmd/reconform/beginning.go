package main

import (
	"fmt"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/runner"
)

// beginning says how many requirements a run will judge, and how many it skips. How long that
// takes depends on the controller and on the machine, so it is only said how long the run
// before took, if that was the same. earlier is its report, or nil.
func beginning(plan *runner.Plan, earlier *v1alpha1.ConformanceReport, digest string) string {
	judged, maybe := planned(plan)
	text := "to be judged: " + report.Counted(len(judged)-maybe, "requirement")
	if maybe > 0 {
		text += fmt.Sprintf("; %d more if the controller does what they are about", maybe)
	}
	if skipped := len(plan.Skipped); skipped > 0 {
		text += fmt.Sprintf("; skipped: %d", skipped)
	}
	if earlier == nil || earlier.ProfileDigest != digest || earlier.CutShort != nil || earlier.NotStarted != nil || earlier.Rerun != nil || len(earlier.Parts) > 0 {
		return text
	}
	skipped, found := map[string]bool{}, map[string]bool{}
	for _, s := range plan.Skipped {
		skipped[s.ID] = true
	}
	for _, result := range earlier.Results {
		switch {
		case result.Repeat > 1:
			return text
		case judged[result.ID]:
			found[result.ID] = true
		case !skipped[result.ID]:
			return text
		}
	}
	if len(found) != len(judged) {
		return text
	}
	return fmt.Sprintf("%s; the run before took %s for the same", text, report.Round(earlier.Durations.Total.Duration))
}

// planned returns the requirements of a plan, and how many of them are judged only if the
// controller does what they are about.
func planned(plan *runner.Plan) (ids map[string]bool, maybe int) {
	ids = map[string]bool{}
	for _, p := range plan.Scenarios {
		ids[p.Requirement.ID] = true
		if len(p.Unclaimed) > 0 {
			maybe++
		}
	}
	return ids, maybe
}
