package trial

import (
	"context"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// failOver kills the leader, waits until another replica leads, and starts the killed one
// again.
func (r *run) failOver(ctx context.Context) error {
	killed, err := r.leader(ctx, "")
	if err != nil {
		return err
	}
	if err := r.disrupt(ctx, v1alpha1.DisruptionSpec{Target: killed, Action: v1alpha1.ActionKill}); err != nil {
		return err
	}
	if _, err := r.leader(ctx, killed); err != nil {
		return err
	}
	return r.disrupt(ctx, v1alpha1.DisruptionSpec{Target: killed, Action: v1alpha1.ActionRestart})
}

// leader waits until a replica leads that did not lead before, and returns its name.
func (r *run) leader(ctx context.Context, before string) (string, error) {
	leader, patience, what := "", r.within, "a replica leads"
	if before != "" {
		patience, what = r.within+r.leaseLasts(), "another replica leads"
	}
	err := r.await(ctx, patience, what, func(context.Context) (bool, error) {
		if running := r.running(); running != nil && running.Leader != before {
			leader = running.Leader
		}
		return leader != "", nil
	})
	return leader, err
}

// leaseLasts is how long the Lease of a killed leader may last.
func (r *run) leaseLasts() time.Duration {
	if times := r.Profile(r.namespace).Spec.Claims.Times.Lease; times != nil {
		return 2 * times.Duration.Duration
	}
	return subjectPatience
}
