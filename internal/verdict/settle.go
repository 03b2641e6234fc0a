package verdict

import (
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/catalogue"
)

// Judged is a result with what ties it to the others of the same round.
type Judged struct {
	Requirement catalogue.Requirement
	// Result of it, which settling may change.
	Result *v1alpha1.Result
	// Violations that its scenario found, those aside that it provokes.
	Violations []v1alpha1.Violation
	// Failure names the step that failed, and why; empty where none did.
	Failure string
	// Symptoms of the step that failed, whether it judges or not.
	Symptoms []v1alpha1.Symptom
	// Without is what the verdict is if the violations are left out; nil where there are
	// none, or a step that judges failed as well.
	Without *v1alpha1.Itself
}

// Settle puts root causes first, among all results of one implementation in one round.
// What is broken in many scenarios is held against the one that exists to find it; the
// others are blocked by that, and do not count. A result that this changes keeps what it
// was by itself: see [Unsettled].
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

// Unsettled takes a result of a report back to what it was before it was settled, so that
// it can be settled anew among others. The result itself stays as it is.
func Unsettled(requirement catalogue.Requirement, result v1alpha1.Result) Judged {
	if result.Itself != nil {
		result.Verdict, result.Reason = result.Itself.Verdict, result.Itself.Reason
		result.Itself, result.BlockedBy, result.Beside = nil, "", nil
	}
	judged := Judged{Requirement: requirement, Result: &result}
	if e := result.Evidence; e != nil {
		judged.Violations, judged.Failure, judged.Symptoms, judged.Without = e.Violations, e.Failure, e.Symptoms, e.Without
	}
	if len(judged.Violations) == 0 && Fails(result.Verdict) {
		judged.Failure = result.Reason
	}
	return judged
}

// settling is Settle under way.
type settling struct {
	round []Judged
	// keeps are the requirements that are held responsible for violations.
	keeps []string
	// causes of what was looked at already, by ID.
	causes map[string]cause
}

// cause says what a requirement means for those that rely on it.
type cause struct {
	// down is true where what they rely on does not work.
	down bool
	// root is the ID of the requirement that failed.
	root string
	// symptoms that it showed itself.
	symptoms []v1alpha1.Symptom
}

// settleCause blocks a requirement that did not pass. It is blocked by one that it
// relies on, if that one failed, or else by the home of what its own step found, if the
// home found the same.
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
	s.causes[id] = j.cause()
	return s.causes[id]
}

// settleReliance blocks a requirement by one that it relies on.
func (s *settling) settleReliance(j Judged, trail []string) {
	var unjudged []string
	for _, relied := range j.Requirement.ReliesOn {
		found := s.settleCause(relied, trail)
		switch {
		case found.down && s.blockable(j) && follows(j.Symptoms, found.symptoms):
			j.block(found.root, fmt.Sprintf("it relies on %s, which failed; itself it %s", relied, inShort(*j.Result)))
		case !s.judged(relied):
			unjudged = append(unjudged, relied)
		}
	}
	if len(unjudged) > 0 && j.Result.Verdict == v1alpha1.Failed && s.blockable(j) {
		j.Result.Reason += "; it relies on what was not judged here: " + strings.Join(unjudged, ", ")
	}
}

// settleHome blocks a requirement by the home of what its step found.
func (s *settling) settleHome(j Judged, trail []string) {
	if len(j.Symptoms) == 0 || !s.blockable(j) {
		return
	}
	for _, home := range s.round {
		if home.Requirement.ID == j.Requirement.ID || !home.explains(j) {
			continue
		}
		if found := s.settleCause(home.Requirement.ID, trail); found.down && found.root != j.Requirement.ID {
			j.block(found.root, fmt.Sprintf("%s found the same: %s; itself it %s", home.Requirement.ID, seenIn(j.Symptoms), inShort(*j.Result)))
			return
		}
	}
}

// blockable tells whether a requirement can be blocked by one that it relies on. What
// violations prove is proved, whatever else does not work.
func (s *settling) blockable(j Judged) bool {
	switch j.Result.Verdict {
	case v1alpha1.Failed, v1alpha1.Flaky, v1alpha1.ResultInconclusive:
		return !slices.Contains(s.keeps, j.Requirement.ID)
	}
	return false
}

// judged tells whether the round says of a requirement whether it holds.
func (s *settling) judged(id string) bool {
	return slices.ContainsFunc(s.round, func(j Judged) bool {
		v := j.Result.Verdict
		return j.Requirement.ID == id && (v == v1alpha1.Passed || v == v1alpha1.Blocked || Fails(v))
	})
}

// block a result by the one that is its root cause.
func (j Judged) block(by, reason string) {
	j.Result.Verdict, j.Result.BlockedBy = v1alpha1.Blocked, by
	j.Result.Reason = fmt.Sprintf("blocked by %s: %s", by, reason)
}

// cause of what relies on it. Where only an invariant was broken, what the requirement
// says still holds.
func (j Judged) cause() cause {
	switch v := j.Result.Verdict; {
	case v == v1alpha1.Blocked && (j.Failure != "" || len(j.Violations) == 0):
		return cause{down: true, root: j.Result.BlockedBy, symptoms: j.Symptoms}
	case Fails(v) && j.Failure != "":
		return cause{down: true, root: j.Requirement.ID, symptoms: j.Symptoms}
	}
	return cause{}
}
