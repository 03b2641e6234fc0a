package explore

import (
	"encoding/json"
	"fmt"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/trial"
)

// undisturbed returns the outcome of several runs, and masks what differs between them.
func undisturbed(runs []*tried) (v1alpha1.TrialUndisturbed, error) {
	u := v1alpha1.TrialUndisturbed{Objects: runs[len(runs)-1].Outcome}
	var outcomes []map[string]any
	for _, run := range runs {
		outcome := map[string]any{}
		if err := json.Unmarshal([]byte(run.Outcome), &outcome); err != nil {
			return u, fmt.Errorf("reading an outcome: %w", err)
		}
		outcomes = append(outcomes, outcome)
	}
	u.Harms = shownBy(runs, func(run *tried) []v1alpha1.TrialMask { return trial.HarmsOf(run.Divergences) },
		func(harm v1alpha1.TrialMask) v1alpha1.TrialMask {
			return v1alpha1.TrialMask{Object: anyEnding(harm.Object), Path: harm.Path}
		})
	u.Deletions = shownBy(runs, func(run *tried) []string { return run.Deletions }, anyEnding)
	for i := range outcomes {
		for _, mask := range masks(outcomes[i], outcomes[len(outcomes)-1]) {
			if !slices.Contains(u.Masks, mask) {
				u.Masks = append(u.Masks, mask)
			}
		}
	}
	slices.Sort(u.Deletions)
	for i, mask := range u.Masks {
		u.Masks[i].Count = sameCount(outcomes, mask)
	}
	return u, nil
}

// shownBy returns what several runs show, each once. What is not in all of them may be
// about an object whose name the controller makes up: then it is about each such name.
func shownBy[T comparable](runs []*tried, of func(*tried) []T, general func(T) T) []T {
	var all []T
	for _, run := range runs {
		for _, one := range of(run) {
			if slices.ContainsFunc(runs, func(other *tried) bool { return !slices.Contains(of(other), one) }) {
				one = general(one)
			}
			if !slices.Contains(all, one) {
				all = append(all, one)
			}
		}
	}
	return all
}
