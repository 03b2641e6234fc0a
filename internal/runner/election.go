package runner

import (
	"context"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/verdict/seen"
)

// checkElection starts the controller with leader election on, if requirements are selected
// that need it, and compares the Lease that it takes with the declared one. If the Leases
// differ, the profile is wrong and not the controller, so these requirements cannot be
// judged. Their results are returned, and they are removed from the plan.
func (r *run) checkElection(ctx context.Context, i *Implementation) ([]v1alpha1.Result, error) {
	needs := func(planned Planned) bool {
		return slices.Contains(planned.Requirement.Features, v1alpha1.FeatureLeaderElection)
	}
	lease, ok := i.Profile.Lease(subject.ElectionNamespace)
	home := i.Profile.Home(subject.ElectionNamespace)
	// Scenarios share a Lease outside the home. The process of this try would still hold it
	// when they begin.
	if !ok || lease.Namespace != home || !i.Profile.Has(v1alpha1.FeatureLeaderElection) || !slices.ContainsFunc(i.Plan.Scenarios, needs) {
		return nil, nil
	}
	if err := r.session.Bench.TryElection(r.session.whileUp(ctx)); err != nil {
		if broken := r.session.broken(); broken != nil {
			return nil, broken
		}
		return nil, err
	}
	problem := seen.LeaseProblem(i.Profile, r.recorder.Account(subject.ElectionNamespace), home)
	if problem == "" {
		return nil, nil
	}
	r.options.Console.Printf("warning: the profile does not fit: %s. Requirements of leader election cannot be judged; reconform validate says more", problem)
	var unjudged []v1alpha1.Result
	i.Plan.Scenarios = slices.DeleteFunc(i.Plan.Scenarios, func(planned Planned) bool {
		if !needs(planned) {
			return false
		}
		result := newResult(planned.Requirement)
		result.Verdict, result.Reason = v1alpha1.ResultInconclusive, "the profile does not fit: "+problem
		unjudged = append(unjudged, result)
		return true
	})
	return unjudged, nil
}
