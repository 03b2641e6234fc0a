package runner

import (
	"strings"

	"reconform.dev/reconform/internal/verdict/seen"
)

// recorded returns what was recorded in all scenarios of an implementation that is the only
// one of its run.
func (r *run) recorded(i *Implementation) *seen.Recorded {
	recorded := &seen.Recorded{Profile: i.Profile, Title: func(scenario string) string {
		return i.titleOf(scenario, r.options.Repeat)
	}}
	for _, scenario := range r.recorder.Scenarios() {
		recorded.Accounts = append(recorded.Accounts, r.recorder.Account(scenario))
	}
	return recorded
}

// titleOf returns the title of the scenario that runs in a namespace: the ID of its
// requirement, if it has one.
func (i *Implementation) titleOf(namespace string, rounds int) string {
	for _, planned := range i.Plan.Scenarios {
		for round := 1; round <= rounds; round++ {
			if own := i.namespace(planned.Requirement, round, rounds); namespace == own || strings.HasPrefix(namespace, own+"-") {
				return planned.Requirement.ID
			}
		}
	}
	return namespace
}
