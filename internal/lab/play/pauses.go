package play

import (
	"context"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/expectation"
	"reconform.dev/reconform/internal/record/history"
)

const (
	// A create fails at least as often as fewest says, and for at least as long as failingFor:
	// the first pauses of some limiters are so short that they cannot be told apart.
	fewest     = 5
	failingFor = time.Second
	// settling is how many pauses may be cut short: what is written to the status is an event.
	settling = 2
	// growth is how many times as long the last pauses must be as the first.
	growth = 1.5
)

// pauses checks how long a controller waits after a failure, and after the first one that
// follows a success.
func pauses() play {
	return play{rules: []rule{
		{"pauses/grow", "tries again after longer and longer pauses while a create fails", grow},
		{"pauses/reset", "begins with a short pause again after a success", reset},
	}}
}

// grow compares the last pauses with the first.
func grow(ctx context.Context, s *stage) error {
	tries, err := s.failing(ctx, "create", fewest, failingFor, 2, func() error { return s.create(ctx, "demo") })
	if err != nil {
		return err
	}
	between := pausesBetween(tries)
	first, last := compared(between)
	if s.longest = between[len(between)-1]; float64(last) < growth*float64(first) {
		return &unmet{found: fmt.Sprintf("it tried %d times, and the pauses did not grow: they took %s", len(tries), inWords(between))}
	}
	return nil
}

// pausesBetween returns the time between each try and the next.
func pausesBetween(tries []time.Time) (pauses []time.Duration) {
	for n := 1; n < len(tries); n++ {
		pauses = append(pauses, tries[n].Sub(tries[n-1]))
	}
	return pauses
}

// compared returns the mean of the first pauses that are not cut short, up to half of them,
// and that of the last two. A mean, as a busy machine adds to any of them.
func compared(pauses []time.Duration) (first, last time.Duration) {
	uncut := pauses[min(settling, len(pauses)-1):]
	return mean(uncut[:max(1, len(uncut)/2)]), mean(uncut[max(0, len(uncut)-2):])
}

func mean(all []time.Duration) (sum time.Duration) {
	for _, d := range all {
		sum += d
	}
	return sum / time.Duration(len(all))
}

// inWords returns pauses as a student reads them: the first and the last of many.
func inWords(pauses []time.Duration) string {
	const most = 8
	var words []string
	for n, d := range pauses {
		switch {
		case len(pauses) <= most || n < most/2 || n >= len(pauses)-most/2:
			words = append(words, rounded(d).String())
		case n == most/2:
			words = append(words, "…")
		}
	}
	return strings.Join(words, ", ")
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
	tries, err := s.failing(ctx, "update", twice, 0, 3, func() error { return s.scale(ctx, "demo", 3) })
	if err != nil {
		return err
	}
	if took := tries[len(tries)-1].Sub(tries[0]); took >= s.longest {
		return &unmet{found: fmt.Sprintf("the pauses did not begin anew: the last one before a success took %s, and the %d after it %s together",
			rounded(s.longest), len(tries)-1, rounded(took))}
	}
	return nil
}

// failing has requests for a Deployment fail for a while, at least a number of times, and
// returns when each came, and last the one that had success: the Deployment has its replicas.
func (s *stage) failing(ctx context.Context, verb string, times int, while time.Duration, replicas int32, act func() error) ([]time.Time, error) {
	name := "failing-" + verb
	match := map[string]any{"verbs": []any{verb}, "resources": []any{"deployments.apps"}, "names": []any{"demo"}}
	if err := s.bench(ctx, "faults", "Fault", name, map[string]any{
		"match": match, "action": map[string]any{"respond": map[string]any{"code": int64(500)}},
	}); err != nil {
		return nil, err
	}
	began := time.Now()
	if err := act(); err != nil {
		return nil, err
	}
	tries := func() []time.Time { return s.tries(verb, "demo", began) }
	long := max(s.patience, expectation.Scaled(patience, s.factor)) + starting
	ended := false
	err := s.await(ctx, long, func() (bool, error) {
		if !ended {
			failed := tries()
			if len(failed) < times || failed[len(failed)-1].Sub(failed[0]) < while {
				return false, nil
			}
			ended = true
			return false, s.endFault(ctx, name)
		}
		deployment, err := s.kube.AppsV1().Deployments(s.namespace).Get(ctx, "demo", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return err == nil && ptr.Deref(deployment.Spec.Replicas, 0) == replicas, err
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return nil, &unmet{found: fmt.Sprintf("requests to %s the Deployment fail, and there were %d and no success in %s; %s",
			verb, len(tries()), long, s.lastWords(6))}
	}
	return tries(), err
}

// tries returns when requests for the Deployment of a name have come since a time.
func (s *stage) tries(verb, name string, since time.Time) (times []time.Time) {
	for _, r := range s.recorder.Requests(history.Query{Scenario: s.namespace, Since: since, Match: v1alpha1.RequestMatch{
		Verbs: []string{verb}, Resources: []string{"deployments.apps"}, Names: []string{name},
	}}) {
		times = append(times, r.Time)
	}
	return times
}

func rounded(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }
