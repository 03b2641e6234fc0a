package explore

import (
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// sortsOfPairs are the disturbances that a controller must get over by looking again at what
// is there. In a pair, each is followed by each, at the next attempt of the same write or at
// a later one.
func sortsOfPairs() []string { return []string{"crash-after", "lost-answer", "500", "conflict"} }

// pairPlans are plans with two disturbances. A watch whose events are late goes with each of
// the second, too.
func pairPlans(recorded map[string]*Recording, operations []Operation) []*Plan {
	var all []*Plan
	for _, o := range operations {
		r := recorded[o.Name]
		if r == nil {
			continue
		}
		single := r.plans()
		for _, first := range single {
			for _, second := range single {
				if first.leadsTo(second, r.Writes) {
					all = append(all, first.and(second))
				}
			}
		}
	}
	return all
}

// leadsTo says whether two plans of a recording make a pair.
func (p *Plan) leadsTo(second *Plan, writes []Write) bool {
	if !slices.Contains(sortsOfPairs(), second.Sort) {
		return false
	}
	if p.Sort == "watch-late" {
		return true
	}
	if !slices.Contains(sortsOfPairs(), p.Sort) {
		return false
	}
	from, to := p.position(writes), second.position(writes)
	if from != to {
		return from < to
	}
	// A request that the first one hits is not counted by the second: that is about the next
	// attempt. What was carried out has no other one with an effect.
	return p.Sort != "crash-after" && (p.Sort != "lost-answer" || second.Sort != "crash-after")
}

// position is where the write of a plan is among the writes of its recording.
func (p *Plan) position(writes []Write) int {
	return slices.IndexFunc(writes, func(w Write) bool { return "at "+w.InWords() == p.Point })
}

// betweenSorts, betweenWays and betweenPoints stand between the two halves of a pair.
const (
	betweenSorts  = "+"
	betweenWays   = "; then "
	betweenPoints = ", and "
)

// and makes one plan of two.
func (p *Plan) and(second *Plan) *Plan {
	both := *p
	both.Undisturbed = *p.Undisturbed.DeepCopy()
	both.Disturb = p.Disturb.DeepCopy()
	both.Also = &v1alpha1.TrialAlso{At: second.Disturb.At, Fault: *second.Disturb.Fault.DeepCopy()}
	both.Sort, both.Kind = p.Sort+betweenSorts+second.Sort, p.Kind+betweenSorts+second.Kind
	both.Point, both.How = p.Point+betweenPoints+second.Point, p.How+betweenWays+second.How
	return &both
}

// halves returns the two parts of a pair. If the plan is not a pair, second is nil.
func (p *Plan) halves() (first, second *Plan) {
	if p.Also == nil {
		return p, nil
	}
	one, two := *p, *p
	one.Also, two.Also = nil, nil
	two.Disturb = &v1alpha1.TrialDisturbance{At: p.Also.At, Fault: &p.Also.Fault}
	one.Sort, two.Sort, _ = strings.Cut(p.Sort, betweenSorts)
	one.Kind, two.Kind, _ = strings.Cut(p.Kind, betweenSorts)
	one.How, two.How, _ = strings.Cut(p.How, betweenWays)
	one.Point, two.Point, _ = strings.Cut(p.Point, betweenPoints)
	return &one, &two
}
