package verdict

import (
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// explains says whether a requirement explains the failure of another one. It must be the
// home of every symptom that the other's step found, and must have found the same itself,
// on the same kind of object. If both are homes, the one of the wider symptom explains the
// other. That a write is refused each time can only be explained by the same refused
// write.
func (j Judged) explains(other Judged) bool {
	if len(j.Requirement.HomeOf) == 0 || j.Failure == "" || len(other.Symptoms) == 0 {
		return false
	}
	if j.stuckLike(other) {
		return true
	}
	if all(other.Symptoms, func(s v1alpha1.Symptom) bool { return s.State == v1alpha1.Refused }) {
		return false
	}
	return all(other.Symptoms, func(symptom v1alpha1.Symptom) bool {
		return symptom.State == v1alpha1.Refused || slices.ContainsFunc(j.Requirement.HomeOf, func(home catalogue.Home) bool {
			return covers(home, symptom) && other.yields(home) && slices.ContainsFunc(j.Symptoms, func(own v1alpha1.Symptom) bool {
				return own.Resource == symptom.Resource && shows(own, home)
			})
		})
	})
}

// stuckLike says whether two requirements found that the controller keeps retrying the
// same write, which is refused each time. The first one must be the home of that. The
// other one may only lack what would come after that write.
func (j Judged) stuckLike(other Judged) bool {
	home := func(h catalogue.Home) bool { return h.State == v1alpha1.Refused }
	return slices.ContainsFunc(j.Requirement.HomeOf, home) && !slices.ContainsFunc(other.Requirement.HomeOf, home) &&
		sameStuck(j.Symptoms, other.Symptoms)
}

// sameStuck says whether two steps lack what would come after the same write, which is
// refused each time.
func sameStuck(of, from []v1alpha1.Symptom) bool {
	return all(from, lacks) && slices.ContainsFunc(from, func(s v1alpha1.Symptom) bool {
		return s.State == v1alpha1.Refused && slices.ContainsFunc(of, func(other v1alpha1.Symptom) bool {
			return other.State == v1alpha1.Refused && other.Resource == s.Resource && other.Path == s.Path
		})
	})
}

// covers says whether a home explains a symptom.
func covers(home catalogue.Home, symptom v1alpha1.Symptom) bool {
	return home.State == symptom.State && (!home.AfterFailure || symptom.AfterFailure) && below(symptom.Path, home.Path)
}

// shows says whether the home's own symptom is the one that it is the home of. If an
// object is missing there, it does not matter whether it was ever made: that depends on
// the scenario.
func shows(own v1alpha1.Symptom, home catalogue.Home) bool {
	if gone(home.State) {
		return gone(own.State)
	}
	return own.State == home.State && below(own.Path, home.Path)
}

func gone(state v1alpha1.SymptomState) bool {
	return state == v1alpha1.NeverMade || state == v1alpha1.NotMadeAgain
}

// yields says whether a home can explain a requirement. If that requirement is itself a
// home, and failed, only the home of a wider symptom can explain it.
func (j Judged) yields(to catalogue.Home) bool {
	return j.Failure == "" || !slices.ContainsFunc(j.Requirement.HomeOf, func(own catalogue.Home) bool {
		return own.State != to.State || to.AfterFailure || !own.AfterFailure
	})
}

// How near the symptoms of a step are to those of another one that may be its cause.
const (
	unrelated = iota
	possible  // nothing speaks against it
	sameKind  // both are about the same kind of object
	sameField // or even about the same field of it
)

// nearness says how near the symptoms of one step are to those of another one that may be
// the cause. If they cannot come from it, they are unrelated.
func nearness(from, of []v1alpha1.Symptom) int {
	if !follows(from, of) {
		return unrelated
	}
	near := possible
	for _, s := range from {
		for _, other := range of {
			switch {
			case other.Resource != s.Resource:
			case s.State == other.State && (below(s.Path, other.Path) || below(other.Path, s.Path)), uncorrected(s, other):
				return sameField
			default:
				near = sameKind
			}
		}
	}
	return near
}

// follows says whether the symptoms of one step may come from those of another. These do
// not:
//   - a missing write from a wrong write, unless the missing write is the correction of the
//     wrong one;
//   - a wrong write from a missing write;
//   - a child that is not made, or not healed, from a child of another kind that exists and is
//     not healed;
//   - what was seen of an existing child from a step without symptoms.
//
// A step without symptoms may come from any other.
func follows(from, of []v1alpha1.Symptom) bool {
	if len(from) == 0 {
		return true
	}
	if len(of) == 0 {
		return !all(from, ofChild)
	}
	if all(from, lacks) && all(of, acts) {
		return slices.ContainsFunc(from, func(s v1alpha1.Symptom) bool {
			return slices.ContainsFunc(of, func(other v1alpha1.Symptom) bool { return uncorrected(s, other) })
		})
	}
	if slices.ContainsFunc(from, acts) && all(of, lacks) {
		return false
	}
	return !all(from, wanting) || !all(of, healable) || slices.ContainsFunc(from, func(s v1alpha1.Symptom) bool {
		return slices.ContainsFunc(of, func(other v1alpha1.Symptom) bool { return other.Resource == s.Resource })
	})
}

// uncorrected says whether a symptom is a field that was not corrected, and another one a
// wrong write of the same field. Which of the two a step finds depends on when that write
// was made.
func uncorrected(s, other v1alpha1.Symptom) bool {
	return s.State == v1alpha1.NotWritten && other.State == v1alpha1.Written &&
		s.Resource == other.Resource && s.Path == other.Path && s.Path != ""
}

// ofChild says whether a symptom speaks of a child that was there.
func ofChild(s v1alpha1.Symptom) bool {
	return s.Role == v1alpha1.RoleChild && s.State != v1alpha1.NeverMade && s.State != v1alpha1.Refused
}

// wanting says whether a symptom is a child that lacks a write: to be made, or to be healed.
func wanting(s v1alpha1.Symptom) bool { return s.Role == v1alpha1.RoleChild && lacks(s) }

// unhealed says whether a symptom is a child that existed, and then lacks a write.
func unhealed(s v1alpha1.Symptom) bool { return ofChild(s) && lacks(s) }

// healable says whether a symptom is a child that is not healed, or something that the
// controller does not write, such as an EndpointSlice.
func healable(s v1alpha1.Symptom) bool {
	return unhealed(s) || s.Role == v1alpha1.RoleOther && lacks(s)
}

// ofLoop says whether a symptom may come from a loop that the controller keeps up by its
// own writes: such a write itself, too many requests, or a write that came too late or not
// at all, as the controller was busy.
func ofLoop(s v1alpha1.Symptom) bool { return loops(s) || s.Late || s.Starved }

// loops says whether a symptom shows a loop: a write that wakes its own controller, or too
// many requests.
func loops(s v1alpha1.Symptom) bool {
	return s.State == v1alpha1.Restless || s.State == v1alpha1.NeverQuiet || s.State == v1alpha1.Repeated
}

// findsLoop says whether a requirement failed, judges the invariant Restless, and found the
// loop of writes that a symptom is about: as a violation, or in its own step.
func (j Judged) findsLoop(of v1alpha1.Symptom) bool {
	if !Fails(j.Result.Verdict) || !slices.Contains(j.Requirement.Judges, v1alpha1.RuleRestless) {
		return false
	}
	return j.showsLoop(of) || of.State != v1alpha1.NeverQuiet && slices.ContainsFunc(j.Violations, func(v v1alpha1.Violation) bool {
		return v.Rule == v1alpha1.RuleRestless && resourceOf(v.About) == of.Resource
	})
}

// showsLoop says whether the step of a requirement found the loop of writes that a symptom is
// about. What keeps a controller from coming to rest is the same loop only if it does so in
// both. Otherwise the loop changes nothing but times.
func (j Judged) showsLoop(of v1alpha1.Symptom) bool {
	state := v1alpha1.Restless
	if of.State == v1alpha1.NeverQuiet {
		state = v1alpha1.NeverQuiet
	}
	return slices.ContainsFunc(j.Symptoms, func(s v1alpha1.Symptom) bool {
		return s.State == state && s.Resource == of.Resource
	})
}

// resourceOf returns the resource that a violation is about, such as deployments.apps of
// "create of deployments.apps/status".
func resourceOf(about string) string {
	_, resource, _ := strings.Cut(about, " of ")
	resource, _, _ = strings.Cut(resource, "/")
	return resource
}

func all(symptoms []v1alpha1.Symptom, are func(v1alpha1.Symptom) bool) bool {
	return !slices.ContainsFunc(symptoms, func(s v1alpha1.Symptom) bool { return !are(s) })
}

// lacks says whether a symptom is a missing write.
func lacks(s v1alpha1.Symptom) bool {
	return gone(s.State) || s.State == v1alpha1.Left || s.State == v1alpha1.NotWritten || s.State == v1alpha1.Refused
}

// acts says whether a symptom is something that the controller did.
func acts(s v1alpha1.Symptom) bool { return !lacks(s) }

// seenIn describes symptoms in words.
func seenIn(symptoms []v1alpha1.Symptom) string {
	var seen []string
	for _, s := range symptoms {
		seen = append(seen, s.Seen)
	}
	return told(seen)
}

// explained says whether a violation may be the reason why a step failed: a process that
// has ended, or that lacks a permission for its work, does not do it. The violation does
// not explain a write that was done, or a missing write that the controller was allowed to
// do. A write to what belongs to somebody else explains a step that found nothing but such
// writes. A right that is missing explains a step that found only that the controller goes on
// asking for it.
func (j Judged) explained(by v1alpha1.Violation) bool {
	if by.Rule == v1alpha1.RuleForeignObject {
		return len(j.Symptoms) > 0 && all(j.Symptoms, func(s v1alpha1.Symptom) bool {
			return s.Role == v1alpha1.RoleOther && s.State == v1alpha1.Written && s.Resource == resourceOf(by.About)
		})
	}
	if by.Rule == v1alpha1.RuleForbidden && len(j.Symptoms) > 0 && all(j.Symptoms, insists(by)) {
		return true
	}
	resource := resourceOf(by.About)
	if !incapacitates(by) || by.Rule == v1alpha1.RuleForbidden && resource == "" {
		return false // if it names no resource of the contract, it is not known what the right is for
	}
	if len(j.Symptoms) == 0 {
		return true
	}
	if slices.ContainsFunc(j.Symptoms, acts) {
		return false
	}
	if by.Rule == v1alpha1.RuleCrashed {
		return true
	}
	other := func(s v1alpha1.Symptom) bool { return s.Role == v1alpha1.RoleChild && s.Resource != resource }
	reads := strings.HasPrefix(by.About, "get ") || strings.HasPrefix(by.About, "list ") || strings.HasPrefix(by.About, "watch ")
	return reads || !all(j.Symptoms, other)
}

// insists returns a test for the symptom that the controller asked too often for the resource
// of a right that it lacks. That resource may be outside the contract.
func insists(lacking v1alpha1.Violation) func(v1alpha1.Symptom) bool {
	resource, _, outside := strings.Cut(lacking.About, " outside the contract")
	if !outside {
		resource = resourceOf(lacking.About)
	}
	return func(s v1alpha1.Symptom) bool { return s.State == v1alpha1.Repeated && s.Resource == resource }
}
