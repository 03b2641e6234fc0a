package trial

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/bench/snapshot"
)

// awaited returns the expected outcome, or nil if there is none.
func (r *run) awaited(ctx context.Context) (snapshot.Outcome, error) {
	if r.spec.Undisturbed == nil || r.expected != nil {
		return r.expected, nil
	}
	other := &v1alpha1.Trial{}
	key := types.NamespacedName{Namespace: r.namespace, Name: r.spec.Undisturbed.Trial}
	r.say("waiting for the Trial " + key.Name)
	if err := r.await(ctx, 10*r.within, "the Trial "+key.Name+" is done", func(ctx context.Context) (bool, error) {
		err := r.Reader.Get(ctx, key, other)
		return err == nil && !other.Status.Verdict.IsPending(), err
	}); err != nil {
		return nil, err
	}
	if other.Status.Verdict != v1alpha1.JudgementMet {
		return nil, fmt.Errorf("the Trial %s, which it is compared with, is %s: %s", key.Name, other.Status.Verdict, other.Status.Message)
	}
	expected, err := readOutcome(other.Status.Outcome)
	if err != nil {
		return nil, err
	}
	r.spec.Undisturbed.Deletions = append(slices.Clone(r.spec.Undisturbed.Deletions), other.Status.Deletions...)
	r.spec.Undisturbed.Harms = append(slices.Clone(r.spec.Undisturbed.Harms), HarmsOf(other.Status.Divergences)...)
	return expected, nil
}

// compare compares the outcome until it is as expected, or the time is over. A part of
// that time is for pauses before a retry, and not spent if there is nothing to try
// again. As long as only the cluster has something to do, it waits for longer.
func (r *run) compare(ctx context.Context, expected snapshot.Outcome, patience, pauses time.Duration) error {
	r.say("comparing")
	defer r.suspectOf(nil)
	for began := time.Now(); ; {
		outcome, err := r.Outcomes.Outcome(ctx, r.namespace, r.spec.Resources)
		if err != nil {
			return err
		}
		r.outcome = outcome
		differing, err := r.Outcomes.Compare(r.namespace, expected, outcome, r.spec.Undisturbed.Masks)
		if err != nil {
			return err
		}
		differing = append(differing, r.wrongStatuses()...)
		waited := time.Since(began)
		slow := waited < patience+rolloutPatience && r.seen.has(func(v version) bool { return isLeftToCluster(v, differing) })
		if len(differing) == 0 || !slow && (waited >= patience || waited >= patience-pauses && !r.mayRetry()) {
			r.divergences = append(r.divergences, differing...)
			return r.live(ctx)
		}
		if waited >= suspect && !slow {
			r.suspectOf(differing)
		}
		select {
		case <-time.After(min(max(2*look, waited/10), longestPause)):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// mayRetryLater says whether the subject may be in a pause that lasts longer than a
// Trial waits.
func (r *run) mayRetryLater() bool { return r.spec.Wake && r.mayRetry() }

// mayRetry says whether the subject may be in a pause before a retry. If it cannot see
// the present state, it may fail without a request.
func (r *run) mayRetry() bool {
	d := r.disturbance
	return d != nil && d.lasts && !d.Lasting || r.Recorder.IsOwing(r.namespace, r.begun)
}

// suspectOf notes what differs while the outcome is awaited.
func (r *run) suspectOf(differing []v1alpha1.Divergence) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.differs = differing[:min(len(differing), mostDivergences)]
}

// readOutcome reads an outcome that was written down.
func readOutcome(text string) (snapshot.Outcome, error) {
	outcome := snapshot.Outcome{}
	if err := yaml.Unmarshal([]byte(text), &outcome); err != nil {
		return nil, fmt.Errorf("it must be a map from resource and name to an object: %w", err)
	}
	for key, object := range outcome {
		if _, ok := object.(map[string]any); !ok || !strings.Contains(key, " ") {
			return nil, fmt.Errorf("%q must be a resource and a name, with an object", key)
		}
	}
	return outcome, nil
}
