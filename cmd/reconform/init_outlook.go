package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/sanitize"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/runner"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/scenario/render"
)

const (
	// mostReasons is how many reasons init names why requirements cannot be mapped.
	mostReasons = 3
	// mostNamed is how many requirements are named for each reason.
	mostNamed = 6
)

// outlook is what a run by a profile would judge.
type outlook struct {
	judged int
	// nodes is how many more it judges on a cluster with nodes.
	nodes int
	// unmapped has the reasons why requirements that the profile claims cannot be mapped, by
	// their IDs.
	unmapped map[string]string
	// kubernetes is the version that init was told to use; empty: the newest.
	kubernetes string
}

// outlookOf returns what a run by the profile of a file would judge.
func outlookOf(file string) (outlook, error) {
	p, err := profile.Load(file)
	if err != nil {
		return outlook{}, err
	}
	all, err := catalogue.Embedded()
	if err != nil {
		return outlook{}, err
	}
	plan, err := runner.NewPlan(p, all)
	if err != nil {
		return outlook{}, err
	}
	nodes := 0
	for _, s := range plan.Scenarios {
		if s.Requirement.Nodes && len(s.Unclaimed) == 0 {
			nodes++
		}
	}
	ids, maybe := planned(plan)
	return outlook{judged: len(ids) - maybe - nodes, nodes: nodes, unmapped: plan.Unmapped()}, nil
}

// outlook says how many requirements a run judges, and which ones it cannot map, and why.
func (t *told) outlook(file string, o outlook) {
	needContract := 0
	for _, reason := range o.unmapped {
		if reason == render.NeedsContract {
			needContract++
		}
	}
	unmapped := len(o.unmapped) - needContract
	t.line("", "")
	more := ""
	if o.nodes > 0 {
		more = fmt.Sprintf(", and on a cluster with nodes %d more", o.nodes)
	}
	t.line("", "a run judges %s by this profile%s; what it does not claim is skipped", report.Counted(o.judged, "requirement"), more)
	if needContract > 0 {
		t.line("", "for %s a contract is needed, which this profile does not have", report.Counted(needContract, "more requirement"))
	}
	if unmapped == 0 {
		return
	}
	reasons := whyUnmapped(o.unmapped)
	are, why := "are", "The reasons, the most frequent first"
	if unmapped == 1 {
		are = "is"
	}
	if len(reasons) == 1 {
		why = "The reason"
	}
	t.line("", "%d more cannot be mapped to this controller, and %s skipped. %s:", unmapped, are, why)
	for n, reason := range reasons {
		if n == mostReasons {
			t.line("  - ", "and %d more: reconform list --profile %s has all of them", len(reasons)-n, sanitize.Word(file))
			break
		}
		t.line("  - ", "%s", reason)
	}
}

// whyUnmapped says for each reason which requirements cannot be mapped, beside those that only
// need a contract.
func whyUnmapped(unmapped map[string]string) []string {
	reasons := maps.Clone(unmapped)
	maps.DeleteFunc(reasons, func(_, reason string) bool { return reason == render.NeedsContract })
	return idsByReason(reasons)
}

// idsByReason says each reason once, behind the IDs of the requirements that have it. The most
// frequent reason comes first.
func idsByReason(reasons map[string]string) (lines []string) {
	ids := map[string][]string{}
	for id, reason := range reasons {
		ids[reason] = append(ids[reason], id)
	}
	frequent := slices.SortedFunc(maps.Keys(ids), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(ids[b]), len(ids[a])), cmp.Compare(a, b))
	})
	for _, reason := range frequent {
		lines = append(lines, sanitize.CutList(slices.Sorted(slices.Values(ids[reason])), mostNamed, ", ")+": "+reason)
	}
	return lines
}
