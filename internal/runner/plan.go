package runner

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"sigs.k8s.io/yaml"

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

// write writes the tests of one round into a folder, in the order in which they start. The
// time of a test is what it declares, or the sum of its measurements if that is longer.
func write(dir string, implementations []*Implementation, round int, options *Options) ([]scenario, error) {
	var written []scenario
	for _, i := range implementations {
		for _, planned := range i.Plan.Scenarios {
			s := scenario{
				implementation: i, requirement: planned.Requirement, unclaimed: planned.Unclaimed, test: planned.Test,
				namespace: i.namespace(planned.Requirement, round, options.Repeat),
			}
			if options.Repeat > 1 {
				s.repeat = round
			}
			if err := s.write(dir, options); err != nil {
				return nil, err
			}
			written = append(written, s)
		}
	}
	sortByStart(written, options.MaxTime)
	return written, nil
}

// veryLong is how long a scenario must take to start before all others: it waits for most of
// that time, and decides how long the round takes.
const veryLong = time.Minute

// sortByStart sorts scenarios in the order in which they start: first the very long ones,
// then those on which others rely, because their failure explains others, and then the rest,
// the longest first. If the time of the run is limited, the longest come last: in the time of
// a very long one, many others are judged.
func sortByStart(scenarios []scenario, maxTime time.Duration) {
	relied := map[string]int{}
	for _, s := range scenarios {
		for _, id := range s.requirement.ReliesOn {
			relied[id]++
		}
	}
	slices.SortStableFunc(scenarios, func(a, b scenario) int {
		byRelied := cmp.Compare(relied[b.requirement.ID], relied[a.requirement.ID])
		if maxTime > 0 {
			return cmp.Or(byRelied, cmp.Compare(a.takes, b.takes))
		}
		if a.takes > veryLong || b.takes > veryLong {
			return cmp.Compare(b.takes, a.takes)
		}
		return cmp.Or(byRelied, cmp.Compare(b.takes, a.takes))
	})
}

// write writes the test of one scenario into its own folder.
func (s *scenario) write(dir string, options *Options) error {
	test, err := s.test.ForRun(render.RunOptions{
		Name: s.name(), Namespace: s.namespace, TimeoutScale: options.TimeoutScale, WindowScale: options.WindowScale,
	})
	if err != nil {
		return err
	}
	document, err := test.YAML()
	if err != nil {
		return err
	}
	s.takes = max(s.requirement.Takes, measuring(document))
	s.folder = filepath.Join(dir, s.name())
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return fmt.Errorf("making the folder of %s: %w", s.title(), err)
	}
	if err := os.WriteFile(filepath.Join(s.folder, render.FileName), document, 0o600); err != nil {
		return fmt.Errorf("writing the test of %s: %w", s.title(), err)
	}
	return nil
}

// measuring adds up the windows of the test's Traffic measurements.
func measuring(document []byte) time.Duration {
	var content any
	if err := yaml.Unmarshal(document, &content); err != nil {
		return 0
	}
	var total time.Duration
	var visit func(any)
	visit = func(value any) {
		switch v := value.(type) {
		case map[string]any:
			if window, ok := v["windowMs"].(float64); ok {
				total += time.Duration(window) * time.Millisecond
			}
			for _, child := range v {
				visit(child)
			}
		case []any:
			for _, child := range v {
				visit(child)
			}
		}
	}
	visit(content)
	return total
}
