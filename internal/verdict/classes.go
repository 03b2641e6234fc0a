package verdict

import (
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// Classes says how far an implementation meets each conformance class, by the results
// of a run. all must contain all requirements, whatever was selected.
func Classes(all []catalogue.Requirement, claims v1alpha1.Claims, results []v1alpha1.Result) []v1alpha1.ClassResult {
	var found []v1alpha1.ClassResult
	for _, p := range catalogue.Classes() {
		class := v1alpha1.ClassResult{Name: p.Name}
		for _, r := range all {
			name, required := catalogue.ClassOf(r)
			if name != p.Name || r.Level == catalogue.Advice && !failed(r.ID, results) {
				continue
			}
			tally := &class.Optional
			if required {
				tally = &class.Required
			}
			tallied(tally, r, claims, results)
		}
		class.Verdict = ofClass(class)
		if p.OnNodes && class.Verdict != v1alpha1.ClassNotConformant && !onNodes(all, results) {
			continue
		}
		found = append(found, class)
	}
	return found
}

// onNodes says whether a requirement that needs a cluster with nodes was judged.
func onNodes(all []catalogue.Requirement, results []v1alpha1.Result) bool {
	return slices.ContainsFunc(all, func(r catalogue.Requirement) bool { return r.Nodes && !leftOut(r.ID, results) })
}

func ofClass(p v1alpha1.ClassResult) v1alpha1.ClassVerdict {
	required, optional := p.Required, p.Optional
	switch {
	case required.Failed+optional.Failed > 0:
		return v1alpha1.ClassNotConformant
	case required.NotClaimed+optional.NotClaimed == required.Total+optional.Total:
		return v1alpha1.ClassNotClaimed
	case required.Passed+optional.Passed == 0:
		return v1alpha1.ClassNotJudged
	case required.Passed == required.Total && optional.NotJudged == 0:
		return v1alpha1.ClassConformant
	default:
		return v1alpha1.ClassPartial
	}
}

// tallied counts one requirement.
func tallied(t *v1alpha1.Tally, r catalogue.Requirement, claims v1alpha1.Claims, results []v1alpha1.Result) {
	t.Total++
	applies, _ := catalogue.Applies(r, claims)
	if !applies && !failed(r.ID, results) || (r.Nodes || r.OwnNodes) && leftOut(r.ID, results) {
		t.NotClaimed++
		return
	}
	passed := false
	for _, result := range results {
		if result.ID != r.ID {
			continue
		}
		if passed = result.Verdict == v1alpha1.Passed; !passed {
			break
		}
	}
	switch {
	case failed(r.ID, results):
		t.Failed++
	case passed:
		t.Passed++
	default:
		t.NotJudged++
	}
}

// leftOut says whether a requirement was not tested.
func leftOut(id string, results []v1alpha1.Result) bool {
	return !slices.ContainsFunc(results, func(r v1alpha1.Result) bool { return r.ID == id && r.Verdict != v1alpha1.Skipped })
}

// failed says whether a requirement failed, or is blocked by one that failed.
func failed(id string, results []v1alpha1.Result) bool {
	for _, r := range results {
		if r.ID == id && (Fails(r.Verdict) || r.Verdict == v1alpha1.Blocked && r.BlockedBy != "") {
			return true
		}
	}
	return false
}

// Headline lists the classes by their verdicts. What asks for something to be done comes
// first.
func Headline(classes []v1alpha1.ClassResult) string {
	var parts []string
	for _, kind := range []v1alpha1.ClassVerdict{
		v1alpha1.ClassNotConformant, v1alpha1.ClassPartial, v1alpha1.ClassConformant, v1alpha1.ClassNotJudged, v1alpha1.ClassNotClaimed,
	} {
		var names []string
		for _, p := range classes {
			if p.Verdict != kind {
				continue
			}
			name := p.Name
			if kind == v1alpha1.ClassPartial && p.Name != catalogue.ClassCore { // whose number is said with the verdict
				name += fmt.Sprintf(" (%s)", Passed(p))
			}
			names = append(names, name)
		}
		if len(names) > 0 {
			parts = append(parts, Words(kind)+": "+strings.Join(names, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// Passed says how much of a class passed, as in "6 of 7": of what it requires, and of what
// else in it is claimed.
func Passed(p v1alpha1.ClassResult) string {
	return fmt.Sprintf("%d of %d", p.Required.Passed+p.Optional.Passed, p.Required.Total+p.Optional.Total-p.Optional.NotClaimed)
}

// Words returns the verdict on a class in words.
func Words(v v1alpha1.ClassVerdict) string {
	switch v {
	case v1alpha1.ClassNotConformant:
		return "not conformant"
	case v1alpha1.ClassNotJudged:
		return "not judged"
	case v1alpha1.ClassNotClaimed:
		return "not claimed"
	default:
		return strings.ToLower(string(v))
	}
}
