package explore

import (
	"context"
	"errors"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

const (
	// mostTries is how often a plan that diverged is carried out at most.
	mostTries = 5
	// enough is how often a divergence must be seen before it accuses.
	enough = 2
	// known is how many plans must confirm a cause. After that, a plan that diverges by the
	// same cause is not carried out again.
	known = 3
)

// finding is a plan whose outcome differs.
type finding struct {
	plan      *Plan
	first     *tried // the first try
	came      int    // tries that showed the divergence
	tries     int
	confirmed bool
}

// judge carries out a plan in a place, and again if it diverges.
func (e *Exploration) judge(ctx context.Context, plan *Plan, at *visit) error {
	second := &ahead{Exploration: e, plan: plan}
	defer second.end()
	found, err := e.try(ctx, plan, at, second)
	if err != nil || found == nil {
		return err
	}
	if found.Verdict == v1alpha1.JudgementMet {
		e.count(func() {
			e.done++
			e.hear(found.Unanswered)
		})
		e.keep(ctx, plan, ending{Unanswered: found.Unanswered})
		return nil
	}
	f := &finding{plan: plan, first: found, came: 1, tries: 1}
	f.confirmed = e.confirm(ctx, f, second)
	e.conclude(ctx, f)
	return nil
}

// conclude adds a finding to the results. If the exploration ends before the finding is
// confirmed, its plan is not done: the report says that it came once, and --resume carries it
// out again.
func (e *Exploration) conclude(ctx context.Context, f *finding) {
	e.count(func() {
		if f.confirmed || ctx.Err() == nil {
			e.done++
		}
		e.hear(f.first.Unanswered)
		e.found(f)
	})
	if f.confirmed {
		e.options.Console.Printf("  diverges: %s: %s", f.plan.InWords(), telling(f.first.Divergences).InWords())
	}
	e.keep(ctx, f.plan, ending{Finding: f.kept()})
}

// confirm carries out the plan of a finding again, and says whether it accuses. It keeps of the
// finding what came often enough. If something goes wrong with the bench meanwhile, the finding is
// kept.
func (e *Exploration) confirm(ctx context.Context, f *finding, second *ahead) bool {
	judged := []*tried{f.first}
	for tries := 1; tries < mostTries && f.came < enough && !e.isKnown(f.first.Divergences) && ctx.Err() == nil; tries++ {
		again, err := second.next(ctx)
		if ctx.Err() != nil {
			break
		}
		e.count(func() { e.repeats++ })
		if err != nil || again == nil || again.Verdict == v1alpha1.JudgementInvalid {
			continue // it says nothing about the controller
		}
		judged = append(judged, again)
		f.tries = len(judged)
		if first, came := agreed(judged); came > 0 {
			f.first, f.came = first, came
		}
	}
	if f.came < enough && e.isKnown(f.first.Divergences) {
		f.first = f.first.only(func(k key) bool { return k == causeOf(f.first.Divergences) })
		return true
	}
	return f.came >= enough
}

// agreed returns what several tries of a plan agree on: the first one that shows the cause, with
// only those divergences that came often enough, and how many show the cause. The cause is the one
// of these divergences that tells most. If there is none, it returns nothing: two tries that diverge
// in different ways do not confirm one another.
func agreed(tries []*tried) (first *tried, came int) {
	times := map[key]int{}
	for _, one := range tries {
		seen := map[key]bool{}
		for _, d := range one.Divergences {
			seen[keyOf(d)] = true
		}
		for k := range seen {
			times[k]++
		}
	}
	often := func(k key) bool { return times[k] >= enough }
	var all []v1alpha1.Divergence
	for _, one := range tries {
		all = append(all, one.only(often).Divergences...)
	}
	if len(all) == 0 {
		return nil, 0
	}
	cause := causeOf(all)
	at := slices.IndexFunc(tries, func(one *tried) bool {
		return slices.ContainsFunc(one.Divergences, func(d v1alpha1.Divergence) bool { return keyOf(d) == cause })
	})
	return tries[at].only(often), times[cause]
}

// only returns a try with some of its divergences.
func (t *tried) only(these func(key) bool) *tried {
	one := *t
	one.Divergences = slices.DeleteFunc(slices.Clone(t.Divergences), func(d v1alpha1.Divergence) bool { return !these(keyOf(d)) })
	return &one
}

// try carries out a plan for the first time. It returns nil if the try cannot be judged, and
// counts why.
func (e *Exploration) try(ctx context.Context, plan *Plan, at *visit, second *ahead) (*tried, error) {
	found, err := e.carry(ctx, plan, at, func(differs []v1alpha1.Divergence) { second.begin(ctx, differs) })
	var no refused
	switch {
	case ctx.Err() != nil:
		return nil, nil
	case errors.As(err, &no):
		e.fail(plan, err.Error())
		return nil, nil
	case err != nil:
		return nil, err
	case found.Verdict == v1alpha1.JudgementInvalid && found.Phase == v1alpha1.TrialDone:
		e.missed(ctx, plan, found.Message)
		return nil, nil
	case found.Verdict == v1alpha1.JudgementInvalid:
		e.fail(plan, found.Message)
		return nil, nil
	}
	e.count(func() { e.inRow = 0 })
	return found, nil
}

// again carries out once more a plan that diverged, in a place of its own. It counts nothing
// but the Trial.
func (e *Exploration) again(ctx context.Context, plan *Plan) (*tried, error) {
	at := e.places.take(ctx)
	if at == nil {
		return nil, ctx.Err()
	}
	return e.carry(ctx, plan, at, nil)
}

// carry carries out a plan in a place, and gives the place up. If there are differences, the plan
// only waits to see whether they go away: then another plan gets the place, and waits is called,
// unless it is nil.
func (e *Exploration) carry(ctx context.Context, plan *Plan, at *visit, waits func([]v1alpha1.Divergence)) (*tried, error) {
	defer at.end()
	found, err := e.place.try(ctx, e.target.of(plan.Operation), plan.spec(e.target.Profile), plan.Operation.Elects, func(differs []v1alpha1.Divergence) {
		if at.wait() && waits != nil {
			waits(differs)
		}
	})
	e.count(func() { e.tries++ })
	return found, err
}

func (e *Exploration) fail(plan *Plan, why string) {
	e.count(func() {
		e.failed++
		e.broken = append(e.broken, plan.InWords()+": "+why)
	})
}

func (e *Exploration) count(change func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change()
}

// spec is the Trial of a plan for a controller.
func (p *Plan) spec(of *profile.Profile) v1alpha1.TrialSpec {
	spec := v1alpha1.TrialSpec{
		Operations: p.Operation.Steps, Disturb: p.Disturb.DeepCopy(), Also: p.Also.DeepCopy(), Undisturbed: p.Undisturbed.DeepCopy(), Resources: p.Resources,
		RestartAtEnd: p.RestartAtEnd,
	}
	// An expectation may be made of several recordings, and the API server limits how long it is.
	u := spec.Undisturbed
	u.Masks, u.Harms, u.Deletions = each(u.Masks), each(u.Harms), each(u.Deletions)
	spec.Within, spec.Pauses, spec.Wake = within(of)
	return spec
}

// each returns each of some values once, in order.
func each[T comparable](values []T) []T {
	seen := map[T]bool{}
	return slices.DeleteFunc(values, func(value T) bool {
		again := seen[value]
		seen[value] = true
		return again
	})
}

// isKnown says whether the cause of divergences was confirmed in several plans.
func (e *Exploration) isKnown(divergences []v1alpha1.Divergence) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	key, count := causeOf(divergences), 0
	for _, f := range e.findings {
		if f.came >= enough && causeOf(f.first.Divergences) == key {
			count++
		}
	}
	return count >= known
}

// key is equal for divergences of the same kind in the same place.
type key struct {
	kind         v1alpha1.DivergenceKind
	object, path string
}

func keyOf(d v1alpha1.Divergence) key {
	if d.Kind == v1alpha1.DivergenceMissing || d.Kind == v1alpha1.DivergenceExtra {
		return key{d.Kind, generic(d.Object), ""}
	}
	return key{d.Kind, generic(d.Object), d.Path}
}

// generic is an object without a random ending of its name.
func generic(object string) string {
	at := strings.LastIndexByte(object, '-')
	if at < 0 || !random.MatchString(object[at+1:]) {
		return object
	}
	return object[:at+1] + "*"
}
