package runner

import (
	"context"
	"fmt"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/sandbox"
)

// fit finds out what this machine can isolate, and skips what cannot be judged on it.
// It fails where nothing is left to run.
func fit(ctx context.Context, implementations []*Implementation, options *Options) error {
	if options.Launcher == nil {
		launcher, err := sandbox.NewLauncher(ctx)
		if err != nil {
			return fmt.Errorf("preparing to launch subjects: %w", err)
		}
		options.Launcher = launcher
	}
	cannot := options.Launcher.CheckReplicas()
	if cannot == nil {
		return nil
	}
	left := 0
	for _, i := range implementations {
		i.Plan.withoutReplicas(cannot)
		left += len(i.Plan.Scenarios)
	}
	if left == 0 {
		return fmt.Errorf("nothing to run: all that is selected needs several replicas, and %w", cannot)
	}
	return nil
}

// withoutReplicas skips the scenarios in which several replicas run, for a reason.
func (p *Plan) withoutReplicas(reason error) {
	p.Scenarios = slices.DeleteFunc(slices.Clone(p.Scenarios), func(planned Planned) bool {
		if !planned.Test.Scenario.SeveralReplicas() {
			return false
		}
		result := newResult(planned.Requirement)
		result.Verdict = v1alpha1.Skipped
		result.Reason = fmt.Sprintf("needs several replicas, and %v", reason)
		p.Skipped = append(p.Skipped, result)
		return true
	})
}
