package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/invariant"
)

// defect is one way to break a rule. It has the same cause wherever it is seen.
type defect struct {
	rule, about string
}

// settleViolations makes each defect count once. It counts for the requirements that are
// the home of its rule. If none of them sees it, it counts for another one: see standIn.
func (s *settling) settleViolations() {
	keepers := s.keepers()
	s.adopt(keepers)
	for _, ids := range keepers {
		s.keeps = append(s.keeps, ids...)
	}
	for _, j := range s.round {
		if j.Result.Verdict == v1alpha1.Failed && len(j.Violations) > 0 && !slices.Contains(s.keeps, j.Requirement.ID) {
			s.beside(j, keepers)
		}
	}
}

// beside settles a result whose violations are judged elsewhere. If nothing else was
// wrong, the scenario has passed apart from them. A step that failed is a failure of its
// own, unless the controller could not do the missing write.
func (s *settling) beside(j Judged, keepers map[defect][]string) {
	var parts, notes []string
	consequence := j.Failure == "" && j.Without == nil
	for _, v := range j.Violations {
		judges := strings.Join(keepers[defect{v.Rule, v.About}], ", ")
		parts = append(parts, fmt.Sprintf("%s, which %s has: %s", v.Rule, judges, v.Message))
		notes = append(notes, fmt.Sprintf("%s, which is judged by %s: %s", v.Rule, judges, v.Message))
		consequence = consequence || j.explained(v)
	}
	others := told(parts)
	without := j.Without
	switch {
	case without != nil && !NeedsLook(without.Verdict):
		j.Result.Verdict, j.Result.Reason, j.Result.Beside = without.Verdict, without.Reason, notes
	case consequence:
		// This one explains it. It need not be the first.
		first := j.Violations[max(slices.IndexFunc(j.Violations, j.explained), 0)]
		if j.Failure != "" {
			others += "; the scenario failed " + j.Failure
		}
		j.block(keepers[defect{first.Rule, first.About}][0], others)
	case without != nil:
		j.Result.Verdict, j.Result.Reason = without.Verdict, without.Reason+"; beside it, "+others
	default:
		j.Result.Reason = j.Failure + "; beside it, " + others
	}
}

// keepers returns the requirements that each defect counts for.
func (s *settling) keepers() map[defect][]string {
	seen, homes := map[defect][]string{}, map[defect][]string{}
	for _, j := range s.round {
		if j.Result.Verdict != v1alpha1.Failed {
			continue
		}
		for _, v := range j.Violations {
			d := defect{v.Rule, v.About}
			add(seen, d, j.Requirement.ID)
			if slices.Contains(j.Requirement.Judges, v.Rule) {
				add(homes, d, j.Requirement.ID)
			}
		}
	}
	for d, ids := range seen {
		if len(homes[d]) > 1 && d.rule == v1alpha1.RuleForeignObject {
			homes[d] = s.nearest(d, homes[d])
		}
		if len(homes[d]) > 0 {
			continue
		}
		homes[d] = []string{s.standIn(d, ids[0])}
	}
	return homes
}

// standIn returns the requirement that a defect counts for if its home did not see it: the
// home of the loop that it is a part of, the home whose scenario could not be mapped, or
// the first one that saw it.
func (s *settling) standIn(d defect, first string) string {
	if home := s.homeOfLoop(v1alpha1.Symptom{Resource: resourceOf(d.about), State: v1alpha1.Restless}); home >= 0 && d.rule == v1alpha1.RuleRestless {
		return s.round[home].Requirement.ID
	}
	return cmp.Or(s.homeNotRun(d.rule), first)
}

// nearest returns those of several homes whose own step found something wrong, too. Without
// such a home, the defect came along in all of them, and it counts for the one that saw it in
// most ways. Bystanders of every kind are in every scenario, and each home of that rule is
// about one kind.
func (s *settling) nearest(d defect, homes []string) []string {
	var found []string
	most, ways := "", 0
	for _, j := range s.round {
		if !slices.Contains(homes, j.Requirement.ID) {
			continue
		}
		if j.Failure != "" {
			found = append(found, j.Requirement.ID)
		}
		of := 0
		for _, v := range j.Violations {
			if v.Rule == d.rule {
				of++
			}
		}
		if of > ways {
			most, ways = j.Requirement.ID, of
		}
	}
	if len(found) > 0 {
		return found
	}
	return []string{most}
}

func add(to map[defect][]string, d defect, id string) {
	if !slices.Contains(to[d], id) {
		to[d] = append(to[d], id)
	}
}

// incapacitates says whether a violation is enough reason for a step to fail: a process
// that ends, or that may not do its work, does not do it.
func incapacitates(v v1alpha1.Violation) bool {
	return v.Rule == v1alpha1.RuleCrashed || v.Rule == v1alpha1.RuleForbidden
}

// Invariants says for each rule whether it was broken in a whole run, and in which
// scenarios. A rule that was broken in several ways has one entry for each way.
func Invariants(results []v1alpha1.Result) []v1alpha1.Invariant {
	var all []v1alpha1.Invariant
	for _, rule := range invariant.Names() {
		broken := brokenWays(rule, results)
		if len(broken) == 0 {
			broken = []v1alpha1.Invariant{{Rule: rule, Verdict: v1alpha1.Passed}}
		}
		all = append(all, broken...)
	}
	return all
}

func brokenWays(rule string, results []v1alpha1.Result) []v1alpha1.Invariant {
	var ways []v1alpha1.Invariant
	for _, r := range results {
		if r.Itself != nil && r.Itself.Verdict == v1alpha1.Skipped {
			continue // its scenario did not run
		}
		if r.Evidence == nil || !Fails(r.Verdict) && r.Verdict != v1alpha1.Blocked && len(r.Beside) == 0 {
			continue
		}
		for _, v := range r.Evidence.Violations {
			if v.Rule != rule {
				continue
			}
			n := slices.IndexFunc(ways, func(known v1alpha1.Invariant) bool { return known.About == v.About })
			if n < 0 {
				n = len(ways)
				ways = append(ways, v1alpha1.Invariant{Rule: rule, Verdict: v1alpha1.Failed, About: v.About})
			}
			way := &ways[n]
			if !slices.Contains(way.SeenIn, r.ID) {
				way.SeenIn = append(way.SeenIn, r.ID)
			}
		}
	}
	return ways
}

// inShort says what a result that did not pass had found.
func inShort(r v1alpha1.Result) string {
	if r.Verdict == v1alpha1.ResultInconclusive {
		return "came to no conclusion: " + r.Reason
	}
	return "failed " + r.Reason
}
