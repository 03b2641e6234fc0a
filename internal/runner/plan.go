package runner

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/scenario/catalogue"
	"reconform.dev/reconform/internal/scenario/render"
	"reconform.dev/reconform/internal/verdict"
)

// Plan says what a selection of requirements means for one profile: what runs, and what is
// skipped.
type Plan struct {
	// Scenarios to run, rendered for the profile.
	Scenarios []Planned
	// Skipped are the requirements that do not apply, cannot be mapped, or cannot be carried
	// out, each with the reason.
	Skipped []v1alpha1.Result
	// Passed are the requirements that passed in an earlier run, if this one judges again what
	// did not, and the results of both are put together.
	Passed []string

	all      []catalogue.Requirement // that there are
	order    map[string]int          // position of the requirements, by ID
	unmapped map[string]string       // the reason, by ID
	// elsewhere are the requirements that cannot be mapped. What others see may count for them.
	elsewhere []catalogue.Requirement
}

// Planned is one requirement with its scenario.
type Planned struct {
	Requirement catalogue.Requirement
	Test        *render.Rendered
	// Unclaimed are the features that the requirement is about, but that are not claimed. The
	// requirement is judged if its scenario shows them, and skipped otherwise.
	Unclaimed []v1alpha1.Feature
}

// NewPlan renders the scenarios of the requirements that apply.
func NewPlan(p *profile.Profile, requirements []catalogue.Requirement) (*Plan, error) {
	all, err := catalogue.Embedded()
	if err != nil {
		return nil, err
	}
	return NewPlanOfPart(p, all, requirements, requirements)
}

// NewPlanOfPart is like NewPlan, for a part of what was selected from all requirements.
// Other runs judge the rest, and the reports are merged.
func NewPlanOfPart(p *profile.Profile, all, requirements, selected []catalogue.Requirement) (*Plan, error) {
	contract, anything := cmp.Or(p.Spec.Contract.Name, catalogue.WebApps), len(selected) > 0
	requirements, selected = catalogue.Of(requirements, contract), catalogue.Of(selected, contract)
	if anything && len(selected) == 0 {
		return nil, fmt.Errorf("none of the selected requirements belongs to the contract %s (reconform list --profile shows those)", contract)
	}
	requirements = catalogue.Relying(requirements, all, p.Spec.Claims)
	plan := &Plan{all: all, order: map[string]int{}, unmapped: map[string]string{}}
	for i, requirement := range requirements {
		plan.order[requirement.ID] = i
		requirement = requirement.Spoken(p.InItsWords)
		skip := func(reason string) { plan.skip(requirement, reason) }
		applies, whyNot := catalogue.Applies(requirement, p.Spec.Claims)
		unclaimed, mapped := catalogue.Unclaimed(requirement, p.Spec.Claims), p
		switch {
		case applies:
		case len(unclaimed) == 0:
			skip(whyNot)
			continue
		default:
			mapped = p.ByConvention()
		}
		if requirement.WholeRun && !whole(selected, catalogue.Of(all, contract)) {
			skip("compares the rights granted with the requests of a whole run, and this is a part of one: run all, without --run, --skip and -l")
			continue
		}
		var test *render.Rendered
		var unmapped *render.Skip
		source, err := render.LoadFS(requirement.Source, requirement.Path)
		if err == nil {
			test, err = render.Render(source, mapped)
		}
		switch {
		case errors.As(err, &unmapped) && !applies:
			skip(whyNot)
		case errors.As(err, &unmapped):
			plan.unmapped[requirement.ID] = unmapped.Reason
			plan.elsewhere = append(plan.elsewhere, requirement)
			skip(verdict.Unmapped + unmapped.Reason)
		case err != nil:
			return nil, fmt.Errorf("rendering the scenario of %s: %w", requirement.ID, err)
		default:
			plan.Scenarios = append(plan.Scenarios, Planned{requirement, test, unclaimed})
		}
	}
	return plan, nil
}

// Unmapped returns the requirements that apply but whose scenarios cannot be mapped to the
// implementation: the reasons, by ID.
func (p *Plan) Unmapped() map[string]string { return p.unmapped }

// skip records why a requirement is not judged.
func (p *Plan) skip(requirement catalogue.Requirement, reason string) {
	result := newResult(requirement)
	result.Verdict, result.Reason = v1alpha1.Skipped, reason
	p.Skipped = append(p.Skipped, result)
}

// SpareDefinitions leaves out scenarios that change or delete definitions. On a user's
// cluster all objects of the definition would be deleted with it.
func (p *Plan) SpareDefinitions() {
	p.Scenarios = slices.DeleteFunc(p.Scenarios, func(s Planned) bool {
		if s.Requirement.Serial {
			p.skip(s.Requirement, "changes the definitions that all objects of a cluster share: only on a control plane of its own")
		}
		return s.Requirement.Serial
	})
}

// sort sorts results in the order of the requirements, repeated ones together.
func (p *Plan) sort(results []v1alpha1.Result) {
	slices.SortStableFunc(results, func(a, b v1alpha1.Result) int {
		return cmp.Or(cmp.Compare(p.order[a.ID], p.order[b.ID]), cmp.Compare(a.Repeat, b.Repeat))
	})
}

// inOrder sorts judged scenarios in the order of the requirements.
func (p *Plan) inOrder(round []verdict.Judged) {
	slices.SortStableFunc(round, func(a, b verdict.Judged) int {
		return cmp.Compare(p.order[a.Requirement.ID], p.order[b.Requirement.ID])
	})
}

// away returns the requirements that cannot be mapped, each still skipped, for a round in which
// what other scenarios saw may count for them.
func (p *Plan) away() []verdict.Judged {
	var round []verdict.Judged
	for _, requirement := range p.elsewhere {
		n := slices.IndexFunc(p.Skipped, func(r v1alpha1.Result) bool { return r.ID == requirement.ID })
		if n >= 0 {
			round = append(round, verdict.Unsettled(requirement, p.Skipped[n]))
		}
	}
	return round
}

// adopt returns the requirements that failed in a round although their scenarios cannot be
// mapped: others have seen the mistake. They are no longer skipped.
func (p *Plan) adopt(round []verdict.Judged) (adopted []v1alpha1.Result) {
	for n := range p.Skipped {
		skipped := &p.Skipped[n]
		for _, j := range round {
			if j.Result.ID == skipped.ID && verdict.Fails(j.Result.Verdict) {
				*skipped = *j.Result
				adopted = append(adopted, *skipped)
			}
		}
	}
	return adopted
}
