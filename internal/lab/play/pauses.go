package play

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/expectation"
)

// refusals is how many creates are refused: enough to see the pauses grow, and few enough to
// wait for.
const refusals = 5

// pauses checks how long a controller waits after a failure, and after the first one that
// follows a success.
func pauses() play {
	return play{rules: []rule{
		{"pauses/grow", fmt.Sprintf("tries again after each of %d failures, after longer and longer pauses", refusals), grow},
		{"pauses/reset", "begins with a short pause again after a success", reset},
	}}
}

// grow compares the last pause with the third one. Those before may be cut short: what is
// written to the status is an event.
func grow(ctx context.Context, s *stage) error {
	tries, err := s.refused(ctx, "create", refusals, 2, func() error { return s.create(ctx, "demo") })
	if err != nil {
		return err
	}
	third, last := tries[3].Sub(tries[2]), tries[refusals].Sub(tries[refusals-1])
	if s.longest = last; last < third+third/2 {
		return &unmet{fmt.Sprintf("the pause after the third failure took %s, and that after the last one %s", rounded(third), rounded(last))}
	}
	return nil
}

// reset compares with the last of those pauses. One that was never reset would be longer.
func reset(ctx context.Context, s *stage) error {
	settled := map[string]any{"start": string(v1alpha1.StartQuiet), "windowMs": int64(100)}
	if err := s.bench(ctx, "traffics", "Traffic", "settled", settled); err != nil {
		return err
	}
	if err := s.met(ctx, "traffics", "settled", s.patience); err != nil {
		return err
	}
	const twice = 2 // One that is woken by its own write of the status has one pause then.
	tries, err := s.refused(ctx, "update", twice, 3, func() error { return s.scale(ctx, "demo", 3) })
	if err != nil {
		return err
	}
	if took := tries[twice].Sub(tries[0]); took >= s.longest {
		return &unmet{fmt.Sprintf("after a success, two failures were over after %s; the pause before the success took %s",
			rounded(took), rounded(s.longest))}
	}
	return nil
}

// refused has a number of requests for a Deployment fail, and returns when each came, and
// last when the Deployment had its replicas.
func (s *stage) refused(ctx context.Context, verb string, times int, replicas int32, act func() error) (tries []time.Time, err error) {
	name := "refused-" + verb
	if err := s.bench(ctx, "faults", "Fault", name, map[string]any{
		"match": map[string]any{"verbs": []any{verb}, "resources": []any{"deployments.apps"}, "names": []any{"demo"}},
		"times": int64(times), "action": map[string]any{"respond": map[string]any{"code": int64(500)}},
	}); err != nil {
		return nil, err
	}
	if err := act(); err != nil {
		return nil, err
	}
	long := max(s.patience, expectation.Scaled(patience, s.factor)) + starting
	err = s.await(ctx, long, func() (bool, error) {
		var fault v1alpha1.Fault
		if err := s.get(ctx, "faults", name, &fault); err != nil {
			return false, err
		}
		for len(tries) < times && int64(len(tries)) < fault.Status.Hits {
			tries = append(tries, time.Now())
		}
		if len(tries) < times {
			return false, nil
		}
		deployment, err := s.kube.AppsV1().Deployments(s.namespace).Get(ctx, "demo", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return err == nil && ptr.Deref(deployment.Spec.Replicas, 0) == replicas, err
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return nil, &unmet{fmt.Sprintf("%d requests to %s the Deployment fail, and there were %d and no success in %s; %s",
			times, verb, len(tries), long, s.lastWords(6))}
	}
	return append(tries, time.Now()), err
}

func rounded(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }
