package explore

import (
	"context"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

const (
	// mostTrials is how many Trials are carried out to find fewer operations for one cause, and
	// mostForObject how many more to find a smaller object.
	mostTrials, mostForObject = 16, 8
	// recordings and confirmations are how many Trials one attempt takes.
	recordings, confirmations = 2, 2
)

// minimise looks for smaller plans with the same divergence. Of the simplest plan of each cause,
// each operation but the first is left out in turn, and then the fields of the object that it does
// not need. A smaller plan is first carried out without its disturbance, to record what is expected
// of it.
func (e *Exploration) minimise(ctx context.Context) {
	left := e.notMinimised()
	if len(left) == 0 {
		return
	}
	e.options.Console.Phase("looking for fewer operations and smaller objects with the same divergences")
	for _, c := range left {
		if e.minimiseOne(ctx, c); ctx.Err() != nil {
			return
		}
	}
	e.options.Console.Done("looked for fewer operations and smaller objects")
}

// notMinimised returns the causes whose plans were not made smaller, and may be.
func (e *Exploration) notMinimised() []*cause {
	e.mu.Lock()
	defer e.mu.Unlock()
	var left []*cause
	for _, c := range e.causes() {
		f := c.findings[0]
		if e.minimised[c.id()] == nil && f.came >= enough && len(slices.Concat(candidates(f.plan), e.target.of(f.plan.Operation).smallerObjects(f.plan))) > 0 {
			left = append(left, c)
		}
	}
	return left
}

// minimiseOne makes the plan of one cause as small as it can.
func (e *Exploration) minimiseOne(ctx context.Context, c *cause) {
	from := c.findings[0]
	m := &v1alpha1.Minimised{From: from.plan.InWords()}
	smallest := e.shrink(ctx, from, candidates, mostTrials, from, m)
	smallest = e.shrink(ctx, smallest, e.target.of(from.plan.Operation).smallerObjects, m.Trials+mostForObject, from, m)
	if ctx.Err() != nil {
		return // it is not known what else is not needed
	}
	kept := ending{Cause: c.id(), Minimised: m}
	e.count(func() {
		e.minimised[c.id()] = m
		if smallest != from {
			e.smaller = append(e.smaller, smallest)
		}
	})
	if smallest != from {
		plan := smallest.plan.kept()
		kept.Smaller, kept.Finding = &plan, smallest.kept()
	}
	kept.progress = e.progressNow()
	if err := e.options.Kept.add(kept); err != nil {
		e.warnOfKept()
	}
}

// shrink tries the candidates for the plan of a finding. If one has the same divergence, it
// goes on with the candidates for that one. It ends if none has it, or if so many Trials
// were carried out.
func (e *Exploration) shrink(ctx context.Context, smallest *finding, of func(*Plan) []candidate, most int, from *finding, m *v1alpha1.Minimised) *finding {
	for again := true; again; {
		again = false
		for _, candidate := range of(smallest.plan) {
			if e.wasTried(candidate.plan) {
				continue
			}
			if m.Trials+recordings+confirmations > most {
				m.Cut = "the limit of Trials for one cause is reached"
				break
			}
			if found := e.attempt(ctx, candidate.plan, from, m); found != nil {
				smallest, again = found, true
				m.LeftOut = append(m.LeftOut, candidate.without)
				break
			}
		}
	}
	return smallest
}

// candidate is a plan with less in it.
type candidate struct {
	plan    *Plan
	without string
}

// candidates returns the plans with one operation less. The first operation stays: it makes
// the object that the others are about. For a plan without a disturbance there are no
// candidates, because its operations themselves are judged.
func candidates(p *Plan) []candidate {
	if p.Disturb == nil {
		return nil
	}
	var all []candidate
	for i := 1; i < len(p.Operation.Steps); i++ {
		smaller := *p
		smaller.Operation.Steps = slices.Delete(slices.Clone(p.Operation.Steps), i, i+1)
		smaller.Operation.Name = p.Operation.Name + " without " + stepName(p.Operation.Steps[i])
		smaller.Disturb = p.Disturb.DeepCopy()
		if from := int(p.Disturb.From); from > i+1 {
			smaller.Disturb.From--
		} else if from > len(smaller.Operation.Steps) {
			smaller.Disturb.From = int32(len(smaller.Operation.Steps))
		}
		all = append(all, candidate{&smaller, stepInWords(p.Operation.Steps[i])})
	}
	return all
}

// wasTried says whether a plan was among those of the exploration: then it is known that it
// does not have this divergence, or has it only now and then.
func (e *Exploration) wasTried(plan *Plan) bool {
	key, err := plan.key()
	return err != nil || slices.ContainsFunc(e.planned, func(p *Plan) bool {
		other, err := p.key()
		return err == nil && other == key
	})
}

// attempt carries out a smaller plan, and returns what was found if it diverges in the same
// way each time.
func (e *Exploration) attempt(ctx context.Context, plan *Plan, like *finding, m *v1alpha1.Minimised) *finding {
	var runs []*tried
	undisturbed := plan.Operation
	if other := plan.Disturb.Meanwhile; other != nil {
		undisturbed = undisturbed.after("meanwhile", *other)
	}
	r := &recorder{place: e.place, target: e.target.of(plan.Operation), resources: slices.Clone(plan.Resources)}
	for range recordings {
		run, err := r.once(ctx, undisturbed, nil)
		m.Trials++
		if err != nil || run.unrest() != nil {
			return nil // it cannot be carried out without the operation
		}
		runs = append(runs, run)
	}
	recording, err := r.recorded(undisturbed, runs)
	if err != nil {
		return nil
	}
	plan.Undisturbed, plan.Resources = recording.Undisturbed, r.known()
	if plan.Disturb.Meanwhile != nil {
		plan.Undisturbed.Writes *= 2
	}
	var tries []*tried
	for range confirmations {
		found, err := e.carryOutOnce(ctx, plan)
		m.Trials++
		if err != nil || found.Verdict != v1alpha1.JudgementNotMet {
			return nil
		}
		tries = append(tries, found)
	}
	first, came := agreed(tries)
	if came < confirmations || causeOf(first.Divergences) != causeOf(like.first.Divergences) {
		return nil
	}
	return &finding{plan: plan, first: first, came: came, tries: confirmations, confirmed: true}
}

// carryOutOnce carries out a plan, and counts nothing.
func (e *Exploration) carryOutOnce(ctx context.Context, plan *Plan) (*tried, error) {
	found, err := e.place.try(ctx, e.target.of(plan.Operation), plan.spec(e.target.Profile), plan.Operation.Elects, nil)
	if err == nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return found, err
}
