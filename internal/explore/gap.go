package explore

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// gapPlans have one deletion of each kind fall into a gap of the watches. The controller may
// write nothing after it: its process must live on nevertheless.
func gapPlans(recorded map[string]*Recording, operations []Operation) ([]*Plan, error) {
	var all []*Plan
	for _, o := range operations {
		r := recorded[o.Name]
		if r == nil {
			continue
		}
		gone, err := r.gone(recorded)
		if err != nil {
			return nil, err
		}
		for _, resource := range r.Watches {
			if !slices.Contains(gone, resource) {
				continue
			}
			plan := r.plan("missed-deletion", resource, "on the watches of "+resource, "they break off just before they tell of a deletion, which is only seen by a new list")
			plan.Disturb = &v1alpha1.TrialDisturbance{
				At:    v1alpha1.TrialPoint{Verb: history.VerbWatch, Resource: resource},
				Fault: &v1alpha1.FaultAction{Watch: &v1alpha1.WatchAction{MissDeletion: &v1alpha1.Empty{}}},
			}
			all = append(all, plan)
		}
	}
	return all, nil
}

// gone are the kinds of which an object is deleted in an operation: what the operation itself
// deletes, what the controller deletes, and what was there after the creation and is not
// there after a deletion.
func (r *Recording) gone(recorded map[string]*Recording) ([]string, error) {
	var gone []string
	for _, w := range r.Writes {
		if w.Verb == history.VerbDelete {
			gone = append(gone, w.Resource)
		}
	}
	sort := r.sort()
	if slices.Contains([]string{"delete", "recreate", "delete-child"}, sort) {
		gone = append(gone, r.About)
	}
	after := r
	if sort == "recreate" {
		after = recorded["delete"] // all goes, and comes back
	}
	before := recorded["create"]
	if before == nil || after == nil || !slices.Contains([]string{"edit", "delete", "recreate"}, sort) {
		return gone, nil
	}
	states, err := outcomesOf(before, after)
	if err != nil {
		return nil, err
	}
	for key := range states[0] {
		if _, still := states[1][key]; !still {
			resource, _, _ := strings.Cut(key, " ")
			gone = append(gone, resource)
		}
	}
	return gone, nil
}

// outcomesOf returns the objects of several outcomes. See [objectsOf].
func outcomesOf(recordings ...*Recording) ([]map[string]any, error) {
	var all []map[string]any
	for _, r := range recordings {
		objects, err := objectsOf(r)
		if err != nil {
			return nil, err
		}
		all = append(all, objects)
	}
	return all, nil
}

// objectsOf returns the objects of an outcome by resource and name.
func objectsOf(r *Recording) (map[string]any, error) {
	objects := map[string]any{}
	if err := json.Unmarshal([]byte(r.Undisturbed.Objects), &objects); err != nil {
		return nil, fmt.Errorf("reading the outcome of %s: %w", r.Name, err)
	}
	return objects, nil
}
