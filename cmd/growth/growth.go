package main

import (
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// explored is a controller that was explored: how much it does in all operations, and how many
// plans disturb them.
type explored struct {
	name       string
	operations int
	writes     int
	watches    int // the most that were open in one operation
	plans      int // of all shards
}

func measure(r *v1alpha1.ExploreReport) explored {
	e := explored{name: r.Implementation.Name, operations: len(r.Operations), plans: max(r.Plans.All, r.Plans.Planned)}
	for _, o := range r.Operations {
		e.writes += len(o.Writes)
		e.watches = max(e.watches, len(o.Watches))
	}
	return e
}

// table has a line for each controller, in Markdown.
func table(found []explored) string {
	var text strings.Builder
	text.WriteString("| controller | operations | writes in them | kinds watched | plans | plans for each write |\n|---|---|---|---|---|---|\n")
	for _, e := range slices.SortedFunc(slices.Values(found), func(a, b explored) int { return a.plans - b.plans }) {
		fmt.Fprintf(&text, "| %s | %d | %d | %d | %d | %s |\n", e.name, e.operations, e.writes, e.watches, e.plans, quotient(e.plans, e.writes))
	}
	perWrite, perWatch := fit(found)
	fmt.Fprintf(&text, "\nOver all %d controllers, a write adds %.1f plans, and a kind that is watched adds %.1f.\n", len(found), perWrite, perWatch)
	return text.String()
}

func quotient(plans, writes int) string {
	if writes == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f", float64(plans)/float64(writes))
}

// fit returns the numbers of plans for each write and for each watch that come nearest to the
// plans of all controllers: by least squares.
func fit(all []explored) (perWrite, perWatch float64) {
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
