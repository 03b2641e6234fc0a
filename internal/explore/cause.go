package explore

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// random matches an ending that the API server or a hash gives to a name.
var random = regexp.MustCompile(`^([bcdfghjklmnpqrstvwxz2456789]{5}|[0-9a-f]{8,}|[bcdfghjklmnpqrstvwxz2456789]{8,10})$`)

// cause is what several findings have in common.
type cause struct {
	divergence v1alpha1.Divergence
	findings   []*finding
}

// id of a cause is the same in each exploration.
func (c *cause) id() string {
	k := keyOf(c.divergence)
	sum := sha256.Sum256([]byte(string(k.kind) + "\n" + k.object + "\n" + k.path))
	return fmt.Sprintf("EX-%x", sum[:4])
}

// rank says how telling a divergence is: what happened on the way, and what is missing,
// tells more than a field, and a field of a spec more than one of a status.
func rank(d v1alpha1.Divergence) int {
	status := d.Path == "status" || strings.HasPrefix(d.Path, "status.") || strings.HasPrefix(d.Path, "status[") || !strings.Contains(d.Path, ".")
	switch d.Kind {
	case v1alpha1.DivergenceHarm:
		return 0
	case v1alpha1.DivergenceMissing:
		return 1
	case v1alpha1.DivergenceExtra:
		return 2
	case v1alpha1.DivergenceRestless:
		return 3
	case v1alpha1.DivergenceField:
		if status {
			return 5
		}
		return 4
	}
	return 6
}

// telling returns the divergence that tells most.
func telling(divergences []v1alpha1.Divergence) v1alpha1.Divergence {
	return slices.MinFunc(divergences, func(a, b v1alpha1.Divergence) int {
		return cmp.Or(rank(a)-rank(b), cmp.Compare(a.Object, b.Object), cmp.Compare(a.Path, b.Path))
	})
}

// causeOf is equal for divergences that have the same cause: the same object and field, or
// the same missing or extra object.
func causeOf(divergences []v1alpha1.Divergence) key { return keyOf(telling(divergences)) }

// causes groups everything that was confirmed. The lock is held.
func (e *Exploration) causes() []*cause { return causes(slices.Concat(e.findings, e.smaller)) }

// causes groups findings. The most frequent cause comes first, and in each the simplest
// finding.
func causes(findings []*finding) []*cause {
	byKey := map[key]*cause{}
	var all []*cause
	for _, f := range findings {
		k := causeOf(f.first.Divergences)
		c := byKey[k]
		if c == nil {
			c = &cause{divergence: telling(f.first.Divergences)}
			byKey[k] = c
			all = append(all, c)
		}
		c.findings = append(c.findings, f)
	}
	for _, c := range all {
		slices.SortStableFunc(c.findings, simpler)
		c.divergence = telling(c.findings[0].first.Divergences)
	}
	slices.SortStableFunc(all, func(a, b *cause) int { return len(b.findings) - len(a.findings) })
	return all
}

// simpler compares findings: fewer disturbances, then fewer operations, then one that came
// each time, then a simpler disturbance, then a smaller object.
func simpler(a, b *finding) int {
	sure := func(f *finding) int {
		if f.came == f.tries && f.came >= enough {
			return 0
		}
		return 1
	}
	meanwhile := func(f *finding) int {
		if f.plan.Disturb != nil && f.plan.Disturb.Meanwhile != nil {
			return 1
		}
		return 0
	}
	pair := func(f *finding) int {
		if f.plan.Also != nil {
			return 1
		}
		return 0
	}
	return cmp.Or(pair(a)-pair(b), len(a.plan.Operation.Steps)-len(b.plan.Operation.Steps), sure(a)-sure(b), meanwhile(a)-meanwhile(b), a.plan.Operation.size()-b.plan.Operation.size(), cmp.Compare(a.plan.InWords(), b.plan.InWords()))
}
