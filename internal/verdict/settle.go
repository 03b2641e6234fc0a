package verdict

import (
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// Judged is a result, with what connects it to the other results of the same round.
type Judged struct {
	Requirement catalogue.Requirement
	// Result of the requirement. Settling may change it.
	Result *v1alpha1.Result
	// Violations that its scenario found, except those that it provokes.
	Violations []v1alpha1.Violation
	// Failure names the step that failed, and why. It is empty if none failed.
	Failure string
	// Symptoms of the failed step, whether that step judges or not.
	Symptoms []v1alpha1.Symptom
	// Without is the verdict if the violations are left out. It is nil if there are none,
	// or if a step that judges failed as well.
	Without *v1alpha1.Itself
	// Excused is true if nothing can be concluded because of the bench, the machine or the
	// profile.
	Excused bool
	// Passed are the requirements that passed in an earlier run whose results are kept, while
	// this one was judged again.
	Passed []string
}

// Settle finds root causes among all results of one implementation in one round. What is
// broken in many scenarios counts only for the scenario that exists to find it. The others
// are blocked by that one, and do not count. A changed result keeps what it was by itself:
// see [Unsettled].
func Settle(round []Judged) {
	alone := make([]v1alpha1.Itself, len(round))
	for n, judged := range round {
		alone[n] = v1alpha1.Itself{Verdict: judged.Result.Verdict, Reason: judged.Result.Reason}
	}
	s := settling{round: round, causes: map[string]cause{}}
	s.settleViolations()
	for _, judged := range round {
		s.settleCause(judged.Requirement.ID, nil)
	}
	for n, judged := range round {
		if now := (v1alpha1.Itself{Verdict: judged.Result.Verdict, Reason: judged.Result.Reason}); now != alone[n] {
			judged.Result.Itself = &alone[n]
		}
	}
}

// Unsettled returns a result of a report as it was before it was settled, so that it can
// be settled again among other results. The given result does not change.
func Unsettled(requirement catalogue.Requirement, result v1alpha1.Result) Judged {
	if result.Itself != nil {
		result.Verdict, result.Reason = result.Itself.Verdict, result.Itself.Reason
		result.Itself, result.BlockedBy, result.Beside = nil, "", nil
		if result.Verdict == v1alpha1.Skipped {
			result.Evidence = nil // of another requirement
		}
	}
	judged := Judged{Requirement: requirement, Result: &result}
	if e := result.Evidence; e != nil {
		judged.Violations, judged.Failure, judged.Symptoms, judged.Without = e.Violations, e.Failure, e.Symptoms, e.Without
		judged.Excused = e.Excused
	}
	if len(judged.Violations) == 0 && Fails(result.Verdict) {
		judged.Failure = result.Reason
	}
	return judged
}

// settling is the state of Settle.
type settling struct {
	round []Judged
	// keeps are the requirements that violations count for.
	keeps []string
	// causes that are already known, by ID.
	causes map[string]cause
}

// cause says what a requirement means for the requirements that rely on it.
type cause struct {
	// down is true if what they rely on does not work.
	down bool
	// root is the ID of the requirement that failed.
	root string
	// symptoms that this requirement showed itself.
	symptoms []v1alpha1.Symptom
}

// settleCause blocks a requirement that did not pass. A requirement that it relies on
// blocks it, if that one failed and may be the cause. Otherwise the home of what its own
// step found blocks it, if the home found the same. Otherwise the first requirement
// blocks it that found the same write refused each time.
func (s *settling) settleCause(id string, trail []string) cause {
	if known, ok := s.causes[id]; ok || slices.Contains(trail, id) {
		return known
	}
	i := slices.IndexFunc(s.round, func(j Judged) bool { return j.Requirement.ID == id })
	if i < 0 {
		return cause{}
	}
	j := s.round[i]
	trail = append(trail, id)
	s.settleReliance(j, trail)
	s.settleHome(j, trail)
	s.settleStuck(j, trail)
	s.settleRestless(j)
	s.causes[id] = j.cause()
	return s.causes[id]
}

// settleReliance lets a requirement be blocked by one that it relies on: by the one whose
// symptoms are nearest to its own, or by the first of several that are equally near.
func (s *settling) settleReliance(j Judged, trail []string) {
	var unjudged []string
	var by string
	var nearest cause
	best := unrelated
	for _, relied := range j.Requirement.ReliesOn {
		found := s.settleCause(relied, trail)
		if found.down && found.root != j.Requirement.ID {
			if near := nearness(j.Symptoms, found.symptoms); near > best {
				by, nearest, best = relied, found, near
			}
		}
		if !found.down && !s.judged(relied) && !slices.Contains(j.Passed, relied) {
			unjudged = append(unjudged, relied)
		}
	}
	switch {
	case !s.blockable(j):
	case best > unrelated:
		j.block(nearest.root, fmt.Sprintf("it relies on %s, which failed; itself it %s", by, inShort(*j.Result)))
	case len(unjudged) > 0 && j.Result.Verdict == v1alpha1.Failed:
		j.Result.Reason += "; it relies on what was not judged here: " + strings.Join(unjudged, ", ")
	}
}

// settleHome lets a requirement be blocked by the home of what its step found.
func (s *settling) settleHome(j Judged, trail []string) {
	if len(j.Symptoms) == 0 || !s.blockable(j) {
		return
	}
	for _, home := range s.round {
		if home.Requirement.ID == j.Requirement.ID || !home.explains(j) {
			continue
		}
		if found := s.settleCause(home.Requirement.ID, trail); found.down && found.root != j.Requirement.ID {
			j.blockLike(found.root, home.Requirement.ID)
			return
		}
	}
}

// settleStuck lets a requirement be blocked by the first one that failed while the same
// write was refused each time. If no home of such writes failed, that one is the home. A
// requirement that failed because of what the controller did is not blocked by this, even
// if such a write was refused in its scenario, too.
func (s *settling) settleStuck(j Judged, trail []string) {
	if !s.blockable(j) {
		return
	}
	for _, first := range s.round {
		if first.Requirement.ID == j.Requirement.ID {
			return
		}
		if !all(first.Symptoms, lacks) || !sameStuck(first.Symptoms, j.Symptoms) {
			continue
		}
		if found := s.settleCause(first.Requirement.ID, trail); found.down && found.root != j.Requirement.ID {
			j.blockLike(found.root, first.Requirement.ID)
			return
		}
	}
}

// settleRestless lets a requirement be blocked by the home of a loop that the controller
// keeps up by its own writes, if all that its step found may come from that loop. If the
// home did not see the loop, the first requirement with such a write stands for all of them.
func (s *settling) settleRestless(j Judged) {
	if !s.blockable(j) || !all(j.Symptoms, ofLoop) {
		return
	}
	for _, symptom := range j.Symptoms {
		if !loops(symptom) {
			continue
		}
		home := s.homeOfLoop(symptom)
		if home < 0 && symptom.State == v1alpha1.Restless {
			home = slices.IndexFunc(s.round, func(other Judged) bool {
				return Fails(other.Result.Verdict) && all(other.Symptoms, loops) && other.showsLoop(symptom)
			})
		}
		if home < 0 || s.round[home].Requirement.ID == j.Requirement.ID {
			continue
		}
		id := s.round[home].Requirement.ID
		if slices.ContainsFunc(j.Symptoms, func(s v1alpha1.Symptom) bool { return s.Starved }) || j.Failure == "" && all(j.Symptoms, loops) {
			j.block(id, fmt.Sprintf("%s found the loop that kept the controller from it: %s; itself it %s", id, seenIn(j.Symptoms), inShort(*j.Result)))
			return
		}
		j.blockLike(id, id)
		return
	}
}

// homeOfLoop returns the place in the round of the home that found the loop of writes that a
// symptom is about, or -1.
func (s *settling) homeOfLoop(of v1alpha1.Symptom) int {
	return slices.IndexFunc(s.round, func(j Judged) bool { return j.findsLoop(of) })
}

// blockable says whether another requirement can block this one. What violations prove is
// proved, whatever else does not work. What the bench, the machine or the profile is to
// blame for has no cause elsewhere, unless its step found what another one found, too.
func (s *settling) blockable(j Judged) bool {
	if j.Excused && len(j.Symptoms) == 0 {
		return false
	}
	switch j.Result.Verdict {
	case v1alpha1.Failed, v1alpha1.Flaky, v1alpha1.ResultInconclusive:
		return !slices.Contains(s.keeps, j.Requirement.ID)
	}
	return false
}

// judged says whether the round has a judgement on a requirement.
func (s *settling) judged(id string) bool {
	return slices.ContainsFunc(s.round, func(j Judged) bool {
		v := j.Result.Verdict
		return j.Requirement.ID == id && (v == v1alpha1.Passed || v == v1alpha1.Blocked || Fails(v))
	})
}

// block marks a result as blocked by its root cause.
func (j Judged) block(by, reason string) {
	j.Result.Verdict, j.Result.BlockedBy = v1alpha1.Blocked, by
	j.Result.Reason = fmt.Sprintf("blocked by %s: %s", by, reason)
}

// blockLike sets a result to blocked by a requirement, because another one, which may be the
// same, found the same.
func (j Judged) blockLike(by, other string) {
	j.block(by, fmt.Sprintf("%s found the same: %s; itself it %s", other, seenIn(j.Symptoms), inShort(*j.Result)))
}

// cause returns what the result means for requirements that rely on it. If only an
// invariant was broken, what the requirement says still holds.
func (j Judged) cause() cause {
	switch v := j.Result.Verdict; {
	case v == v1alpha1.Blocked && (j.Failure != "" || len(j.Violations) == 0):
		return cause{down: true, root: j.Result.BlockedBy, symptoms: j.Symptoms}
	case Fails(v) && j.Failure != "":
		return cause{down: true, root: j.Requirement.ID, symptoms: j.Symptoms}
	}
	return cause{}
}
