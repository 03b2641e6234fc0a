package explore

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/snapshot"
	"reconform.dev/reconform/internal/record/history"
)

// order returns the plans in the order in which they are carried out. The next plan is always the
// one that is newest: the fewest plans before it had something in common with it. What counts most
// is the pair of what happens and where, such as a conflict at the creation of a Service, because a
// mistake is usually about such a pair. After that count the sort of disturbance, the kind of object
// and the operation. The seed decides between equals.
//
// Late events of a kind have their first turn in an operation in which the controller makes such an
// object.
//
// Plans of which a recording has shown that they diverge come first, and plans with two
// disturbances after all that have one.
func order(plans []*Plan, seed int64) []*Plan {
	of := func(group func(*Plan) bool) []*Plan {
		return inTurn(slices.DeleteFunc(slices.Clone(plans), func(p *Plan) bool { return !group(p) }), seed)
	}
	return slices.Concat(
		of(func(p *Plan) bool { return p.Shown }),
		of(func(p *Plan) bool { return !p.Shown && p.Also == nil }),
		of(func(p *Plan) bool { return !p.Shown && p.Also != nil }),
	)
}

// noteShown notes which plans a recording has shown to diverge: those without a disturbance
// whose steps were recorded, with another outcome than the plan expects, or with harm that it
// does not expect. What a new process writes is no harm in a recording, and may be harm in a plan.
// With a small budget these plans are what is most worth to confirm.
func noteShown(plans []*Plan, recorded map[string]*Recording) error {
	for _, p := range plans {
		r := recorded[p.Operation.Name]
		if p.Disturb != nil || r == nil {
			continue
		}
		wanted, err := p.key()
		if err != nil {
			return err
		}
		if done, err := (&Plan{Operation: r.Operation, RestartAtEnd: p.RestartAtEnd, Sort: p.Sort}).key(); err != nil || done != wanted {
			continue // it has other steps under the same name
		}
		states, err := outcomesOf(&Recording{Operation: p.Operation, Undisturbed: p.Undisturbed}, r)
		if err != nil {
			return err
		}
		p.Shown = p.Shown || r.writesAtStart() || slices.ContainsFunc(r.Undisturbed.Harms, func(harm v1alpha1.TrialMask) bool {
			return !slices.Contains(p.Undisturbed.Harms, harm)
		}) || slices.ContainsFunc(snapshot.Between(states[0], states[1]), func(d v1alpha1.Divergence) bool {
			return !snapshot.Masked(p.Undisturbed.Masks, d.Object, d.Path)
		})
	}
	return nil
}

// writesAtStart says whether a new process updates an object although nothing has changed.
func (r *Recording) writesAtStart() bool {
	last := r.Steps[len(r.Steps)-1]
	return (last.Restart != nil || last.Failover != nil) && slices.ContainsFunc(r.Writes, func(w Write) bool {
		return w.Verb == history.VerbUpdate && w.Subresource == ""
	})
}

// turns are the plans that have all aspects in common, so that one is as new as another.
type turns struct {
	pair    string
	aspects []string // the pair, too
	left    []int    // of the shuffled plans, in order
	count   int      // what earlier plans have in common with them
}

// inTurn returns plans so that each aspect has its turns.
func inTurn(plans []*Plan, seed int64) []*Plan {
	plans = slices.Clone(plans)
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	random.Shuffle(len(plans), func(i, j int) { plans[i], plans[j] = plans[j], plans[i] })
	var groups []*turns
	alike, with := map[string]*turns{}, map[string][]*turns{} // by all aspects, and by one
	later := unlikely(plans)
	for i, p := range plans {
		aspects := append(p.aspects(), p.pair())
		key := strings.Join(append(slices.Clone(aspects), fmt.Sprint(p.Elsewhere)), "\n")
		group := alike[key]
		if group == nil {
			group = &turns{pair: p.pair(), aspects: aspects, count: pairCounts * later[p.pair()]}
			if p.Elsewhere {
				group.count += pairCounts / 2 // after those of its pair that tell more
			}
			alike[key], groups = group, append(groups, group)
			for _, aspect := range aspects {
				with[aspect] = append(with[aspect], group)
			}
		}
		group.left = append(group.left, i)
	}
	ordered := make([]*Plan, 0, len(plans))
	for len(ordered) < len(plans) {
		next := slices.MinFunc(groups, func(a, b *turns) int { return cmp.Or(a.count-b.count, a.left[0]-b.left[0]) })
		ordered = append(ordered, plans[next.left[0]])
		if next.left = next.left[1:]; len(next.left) == 0 {
			groups = slices.DeleteFunc(groups, func(group *turns) bool { return group == next })
		}
		for _, aspect := range next.aspects {
			more := 1
			if aspect == next.pair {
				more = pairCounts
			}
			for _, group := range with[aspect] {
				group.count += more
			}
		}
	}
	return ordered
}

// unlikely returns the pairs that have their first turn after that of all others: creations that
// are answered with Conflict. The API server hardly ever does that: an admission plugin, such as
// that of quotas, may.
func unlikely(plans []*Plan) map[string]int {
	seen := map[string]int{}
	for _, p := range plans {
		if d := p.Disturb; d != nil && d.At.Verb == history.VerbCreate && slices.Contains([]string{"conflict", "conflict-lasting"}, p.Sort) {
			seen[p.pair()] = 1
		}
	}
	return seen
}

// pairCounts is how much more an earlier plan with the same pair counts than one with the same sort,
// kind or operation.
const pairCounts = 100

// pair is the sort of a disturbance together with what it disturbs.
func (p *Plan) pair() string {
	verb := ""
	if p.Disturb != nil {
		verb = p.Disturb.At.Verb
	}
	return "pair " + p.Sort + " " + verb + " " + p.Kind
}

// aspects of a plan that have their turns.
func (p *Plan) aspects() []string {
	return []string{"sort " + p.Sort, "kind " + p.Kind, "operation " + p.Operation.sort()}
}

// distinct leaves out plans that cannot differ from an earlier one.
func distinct(plans []*Plan) ([]*Plan, error) {
	seen := map[string]bool{}
	var all []*Plan
	for _, p := range plans {
		key, err := p.key()
		if err != nil {
			return nil, err
		}
		if !seen[key] {
			seen[key] = true
			all = append(all, p)
		}
	}
	return all, nil
}

// key is equal for plans that do the same.
func (p *Plan) key() (string, error) {
	what := map[string]any{"steps": p.Operation.Steps, "elects": p.Operation.Elects, "disturb": p.Disturb}
	if p.Also != nil {
		what["also"] = p.Also
	}
	if p.RestartAtEnd {
		what["restartAtEnd"] = true
	}
	if p.Disturb == nil && p.Sort != "" {
		what["expects"] = p.Sort // without a disturbance, plans with the same steps expect different things
	}
	data, err := json.Marshal(what)
	if err != nil {
		return "", fmt.Errorf("encoding a plan: %w", err)
	}
	return string(data), nil
}
