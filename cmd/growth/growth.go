package main

import (
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// operation of a controller, as it was recorded: how much it does, and how many plans
// disturb it.
type operation struct{ writes, watches, plans int }

// explored is a controller that was explored.
type explored struct {
	name       string
	operations []operation
}

func measure(r *v1alpha1.ExploreReport) explored {
	e := explored{name: r.Implementation.Name}
	for _, o := range r.Operations {
		e.operations = append(e.operations, operation{len(o.Writes), len(o.Watches), o.Plans})
	}
	return e
}

// sum adds up the operations. Watches are the most that were open in one of them.
func (e explored) sum() (all operation) {
	for _, o := range e.operations {
		all.writes += o.writes
		all.watches = max(all.watches, o.watches)
		all.plans += o.plans
	}
	return all
}

// table has a line for each controller, in Markdown, with the plans of all its operations.
func table(found []explored) string {
	var text strings.Builder
	text.WriteString("| controller | operations | writes in them | kinds watched | plans | plans for each write |\n|---|---|---|---|---|---|\n")
	sorted := slices.SortedFunc(slices.Values(found), func(a, b explored) int { return a.sum().plans - b.sum().plans })
	var all []operation
	for _, e := range sorted {
		o := e.sum()
		fmt.Fprintf(&text, "| %s | %d | %d | %d | %d | %s |\n", e.name, len(e.operations), o.writes, o.watches, o.plans, quotient(o.plans, o.writes))
		all = append(all, e.operations...)
	}
	perWrite, perWatch := fit(all)
	fmt.Fprintf(&text, "\nOver all %d operations, a write adds %.0f plans, and a kind that is watched adds %.0f.\n", len(all), perWrite, perWatch)
	return text.String()
}

func quotient(plans, writes int) string {
	if writes == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f", float64(plans)/float64(writes))
}

// fit returns the numbers of plans for each write and for each watch that come nearest to the
// plans of all operations: by least squares.
func fit(all []operation) (perWrite, perWatch float64) {
	var ww, wk, kk, wp, kp float64
	for _, o := range all {
		w, k, p := float64(o.writes), float64(o.watches), float64(o.plans)
		ww, wk, kk, wp, kp = ww+w*w, wk+w*k, kk+k*k, wp+w*p, kp+k*p
	}
	if d := ww*kk - wk*wk; d != 0 {
		return (wp*kk - kp*wk) / d, (ww*kp - wk*wp) / d
	}
	if ww == 0 {
		return 0, 0
	}
	return wp / ww, 0
}
