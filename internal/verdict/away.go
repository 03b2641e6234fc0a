package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// Unmapped begins the reason for which a requirement is skipped that applies, but whose
// scenario cannot be mapped to the implementation.
const Unmapped = "cannot be mapped: "

// NotJudged begins the reason for which a requirement is skipped that was not reached, because
// the run was cut short.
const NotJudged = "not judged: "

// hasOneJudge says whether one requirement alone judges a rule, whatever kind of object a
// violation is about.
func hasOneJudge(rule string) bool {
	switch rule {
	case v1alpha1.RuleForbidden, v1alpha1.RuleGenerationRaised, v1alpha1.RuleRestless, v1alpha1.RuleDisowned:
		return true
	}
	return false
}

// judgesAllKinds says whether a requirement judges a rule for all kinds of objects: alone, or
// as the only one that has no condition. The others are about one kind of object.
func judgesAllKinds(r catalogue.Requirement, rule string) bool {
	switch {
	case !slices.Contains(r.Judges, rule):
		return false
	case rule == v1alpha1.RuleForeignObject:
		return r.Contract == "" && len(r.Features) == 0 && r.Unowned == ""
	}
	return hasOneJudge(rule)
}

// homeNotRun returns the ID of the requirement that judges a rule for all kinds of objects, if
// its scenario could not be mapped to the implementation, or was not reached. What other
// scenarios saw counts for it nevertheless: a missing right has nothing to do with the first
// scenario that happens to need it, and neither has somebody else's object. It returns "" if
// there is no such requirement in the round.
func (s *settling) homeNotRun(rule string) string {
	for _, j := range s.round {
		if judgesAllKinds(j.Requirement, rule) && j.notRun() {
			return j.Requirement.ID
		}
	}
	return ""
}

// notRun says whether the scenario could not be mapped, or was not reached.
func (j Judged) notRun() bool {
	reason := j.Result.Reason
	return j.Result.Verdict == v1alpha1.Skipped && (strings.HasPrefix(reason, Unmapped) || strings.HasPrefix(reason, NotJudged))
}

// adopt makes requirements fail whose scenarios did not run, by the violations that count
// for them. The evidence is that of the first requirement that saw one.
func (s *settling) adopt(keepers map[defect][]string) {
	for n := range s.round {
		home := &s.round[n]
		if !home.notRun() {
			continue
		}
		if found, by := s.keptBy(home.Requirement.ID, keepers); by != nil {
			home.adopted(found, *by)
		}
	}
}

// keptBy returns the violations of failed scenarios of which only this requirement is a keeper,
// each defect once, and the first of these scenarios.
func (s *settling) keptBy(id string, keepers map[defect][]string) (found []v1alpha1.Violation, by *Judged) {
	seen := map[defect]bool{}
	for n := range s.round {
		one := &s.round[n]
		if one.Result.Verdict != v1alpha1.Failed {
			continue
		}
		for _, v := range one.Violations {
			d := defect{v.Rule, v.About}
			if seen[d] || !slices.Equal(keepers[d], []string{id}) {
				continue
			}
			seen[d] = true
			found, by = append(found, v), cmp.Or(by, one)
		}
	}
	return found, by
}

// adopted makes a requirement fail by what another one saw.
func (j *Judged) adopted(found []v1alpha1.Violation, by Judged) {
	var parts []string
	for _, v := range found {
		parts = append(parts, v.Rule+": "+v.Message)
	}
	j.Violations = found
	own := j.Result.Reason
	if strings.HasPrefix(own, NotJudged) {
		own = "was " + own
	}
	j.Result.Reason = fmt.Sprintf("%s; seen in the scenario of %s, as its own %s", told(parts), by.Requirement.ID, own)
	j.Result.Verdict = v1alpha1.Failed
	evidence := &v1alpha1.Evidence{Violations: found, Catches: j.Requirement.Catches, Hint: j.Requirement.Hint}
	if seen := by.Result.Evidence; seen != nil {
		evidence.Requests, evidence.Namespace, evidence.Scenario = seen.Requests, seen.Namespace, seen.Scenario
		evidence.Logs, evidence.Reproduce = seen.Logs, seen.Reproduce
	}
	j.Result.Evidence = evidence
}
