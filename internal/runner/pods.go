package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench"
	"reconform.dev/reconform/internal/bench/pods"
)

// needsPods tells whether a scenario waits for running Pods.
func needsPods(s Planned) bool { return s.Requirement.NeedsPods }

// needPods tells whether any scenario waits for running Pods.
func needPods(implementations []*Implementation) bool {
	return slices.ContainsFunc(implementations, func(i *Implementation) bool {
		return slices.ContainsFunc(i.Plan.Scenarios, needsPods)
	})
}

// checkPods tests whether Pods become ready. If they do not, scenarios that wait for Pods
// would come to no conclusion, so they do not run.
func (r *run) checkPods(ctx context.Context) error {
	if r.options.Kubeconfig == "" || !needPods(r.implementations) {
		return nil
	}
	r.options.Console.Phase("trying one Pod")
	err := r.session.Bench.CheckPods(r.session.whileUp(ctx))
	var notReady *pods.NotReady
	if broken := r.session.broken(); broken != nil {
		return broken
	} else if err == nil {
		r.options.Console.Done("Pods become ready")
		return nil
	} else if !errors.As(err, &notReady) {
		return err
	}
	r.options.Console.Warn("\n%v\n  requirements that need Pods will be inconclusive", notReady)
	for _, i := range r.implementations {
		i.Plan.withoutPods(notReady.Error())
	}
	return nil
}

// withoutPods takes the scenarios that wait for Pods out of the plan: they are
// inconclusive, for this reason.
func (p *Plan) withoutPods(reason string) {
	p.Scenarios = slices.DeleteFunc(slices.Clone(p.Scenarios), func(planned Planned) bool {
		if !needsPods(planned) {
			return false
		}
		result := newResult(planned.Requirement)
		result.Verdict, result.Reason = v1alpha1.ResultInconclusive, reason
		if len(planned.Unclaimed) > 0 {
			result.Verdict, result.Reason = v1alpha1.Skipped, fmt.Sprintf("feature %s is not claimed", planned.Unclaimed[0])
		}
		p.Skipped = append(p.Skipped, result)
		return true
	})
}

// expectPods makes the Pods of a scenario run that is about to start, if it waits for any.
func expectPods(ctx context.Context, b *bench.Bench, s *scenario) error {
	if s.requirement.NeedsPods {
		b.RunPods(s.namespace)
		return nil
	}
	return b.RestPods(ctx, s.namespace)
}

// freeNodes makes room for the Pods of other scenarios after one has ended, unless the user
// wants to look at it. If that fails, the others have to wait.
func (r *run) freeNodes(ctx context.Context, b *bench.Bench, s *scenario) {
	if r.options.Keep {
		return
	}
	if err := b.RestPods(ctx, s.namespace); err != nil && ctx.Err() == nil {
		r.options.Console.Printf("the Pods of %s are left on the nodes: %v", s.title(), err)
	}
}
