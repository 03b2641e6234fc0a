package play

import (
	"context"
	"fmt"
	"math"
	"slices"
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
	// settling is how many of the first pauses may be cut short: if the controller writes its
	// status, that is an event, which may lead to the next attempt.
	settling = 2
	// growth is how many times as long as the first pauses the last ones must be. If there are
	// more than few pauses, growthOfMany is demanded: that many fit into the time only if the
	// first ones are short, and a busy machine may add half to some.
	growth, growthOfMany, few = 1.5, 2.0, 7
	// hardly is how many attempts come in that time if there is hardly a pause between them.
	hardly = 30
)

// pauses checks how long a controller waits after a failure, and after the first one that
// follows a success.
func pauses() play {
	return play{rules: []rule{
		{"pauses/grow", "tries again after longer and longer pauses while a create fails", grow},
		{"pauses/reset", "begins with a short pause again after a success", reset},
		{"pauses/event", "looks at a WebApp at once when a child of it is gone, however long the pause after a failure is", eventInPause},
	}}
}

// grow compares the last pauses with the first.
func grow(ctx context.Context, s *stage) error {
	enough := func(between []time.Duration) bool {
		return len(between)+1 >= fewest && sum(between) >= failingFor
	}
	const anyLong = time.Duration(math.MaxInt64)
	between, err := s.failing(ctx, "create", enough, anyLong, 2, func() error { return s.create(ctx, "demo") })
	if err != nil {
		return err
	}
	s.longest = between[len(between)-1]
	if !growing(between) {
		return &unmet{found: fmt.Sprintf("it tried %d times, and the pauses did not grow: they took %s", len(between)+1, inWords(between))}
	}
	return nil
}

// pausesBetween returns how long the controller waited between each try and the next, and from
// the last one until a time, if there is one. It waited while no request of it had to be
// answered: what a busy machine takes for an answer is not a pause. The requests are in the
// order in which they began.
func pausesBetween(requests []history.Request, isTry func(history.Request) bool, until time.Time) (pauses []time.Duration) {
	var paused time.Duration
	var answered time.Time // all requests so far
	tried := false
	for _, r := range requests {
		paused += max(0, r.Time.Sub(answered))
		if isTry(r) {
			if tried {
				pauses = append(pauses, paused)
			}
			tried, paused = true, 0
		}
		if end := r.End(); end.After(answered) {
			answered = end
		}
	}
	if tried && !until.IsZero() {
		pauses = append(pauses, paused+max(0, until.Sub(answered)))
	}
	return pauses
}

// growing tells whether pauses grow.
func growing(pauses []time.Duration) bool {
	demanded := growth
	if len(pauses) > few {
		demanded = growthOfMany
	}
	first, last := compared(pauses)
	return len(pauses) < hardly && float64(last) >= demanded*float64(first)
}

// compared returns the mean of the first pauses that are not cut short, up to half of them,
// and that of the last two. It takes the mean because a busy machine may lengthen any of them.
func compared(pauses []time.Duration) (first, last time.Duration) {
	uncut := pauses[min(settling, len(pauses)-1):]
	return mean(uncut[:max(1, len(uncut)/2)]), mean(uncut[max(0, len(uncut)-2):])
}

func mean(all []time.Duration) time.Duration { return sum(all) / time.Duration(len(all)) }

func sum(all []time.Duration) (total time.Duration) {
	for _, d := range all {
		total += d
	}
	return total
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

// reset compares the pauses after a success with the last one before it. If the pauses did not
// begin anew, they would be longer than that one.
func reset(ctx context.Context, s *stage) error {
	if err := first(s.comesToRest(ctx)); err != nil {
		return err
	}
	// There are two pauses between three attempts. One may be cut short, because the
	// controller's own write of the status may wake it.
	const attempts = 3
	enough := func(between []time.Duration) bool { return len(between)+1 >= attempts }
	between, err := s.failing(ctx, "update", enough, s.longest, 3, func() error { return s.scale(ctx, "demo", 3) })
	if err != nil {
		return err
	}
	if slices.Max(between) >= s.longest {
		return &unmet{found: fmt.Sprintf("the pauses did not begin anew: the last one before a success took %s, and those after it %s",
			rounded(s.longest), inWords(between))}
	}
	return nil
}

const (
	// longPause is the pause in which a child is deleted, and cutShort how soon it must be there
	// again.
	longPause = 1500 * time.Millisecond
	cutShort  = 2 * time.Second
)

// eventInPause lets updates of the Deployment fail until the pauses are long. Then it deletes
// the Service right after an attempt: an event must not wait until the pause is over.
func eventInPause(ctx context.Context, s *stage) error {
	err := s.await(ctx, s.patience, func() (bool, error) { return s.exists(ctx, services, "demo") })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("WebApp demo has no Service; %s", s.lastWords(6)), early: true}
	}
	if err != nil {
		return err
	}
	match := map[string]any{"verbs": []any{"update"}, "resources": []any{"deployments.apps"}, "names": []any{"demo"}}
	if err := s.bench(ctx, "faults", "Fault", "for-long", map[string]any{
		"match": match, "action": map[string]any{"respond": map[string]any{"code": int64(500)}},
	}); err != nil {
		return err
	}
	began := time.Now()
	if err := s.scale(ctx, "demo", 4); err != nil {
		return err
	}
	err = s.await(ctx, max(s.patience, expectation.Scaled(patience, s.factor)), func() (bool, error) {
		tries := s.tries("update", "demo", began)
		n := len(tries)
		return n > 1 && tries[n-1].Sub(tries[n-2]) >= longPause && time.Since(tries[n-1]) < longPause/4, nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return s.endFault(ctx, "for-long") // Its pauses are short: an event never waits for long.
	}
	if err != nil {
		return err
	}
	began = time.Now()
	if err := s.loseService(ctx, "demo"); err != nil {
		return err
	}
	err = s.await(ctx, s.patience, func() (bool, error) { return s.exists(ctx, services, "demo") })
	took := time.Since(began)
	late := wait.Interrupted(err) && ctx.Err() == nil
	if err != nil && !late {
		return err
	}
	// The next attempt comes after twice that pause: what is as late as that has waited for it.
	slowest, _ := s.recorder.Slowest(began, time.Now())
	if took > cutShort && took <= cutShort+slowest.Duration.Duration {
		return errTooSlow
	}
	if took > cutShort {
		return &unmet{found: fmt.Sprintf("updates of the Deployment fail, and the last pause took more than %s; then its Service was deleted, and was not there again %s later: "+
			"the event waited like a failure; %s", longPause, rounded(min(took, s.patience)), s.lastWords(6))}
	}
	return s.endFault(ctx, "for-long")
}

// hasReplicas tells whether a Deployment is there, with a number of replicas.
func (s *stage) hasReplicas(ctx context.Context, name string, replicas int32) (bool, error) {
	deployment, err := s.kube.AppsV1().Deployments(s.namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil && ptr.Deref(deployment.Spec.Replicas, 0) == replicas, err
}

// failing lets requests for a Deployment fail until there are enough. Then it lets them
// succeed, and waits until the Deployment has its replicas. It returns the pauses between the
// requests. If a pause takes as long as longest, it returns at once, and that pause is the
// last one.
func (s *stage) failing(
	ctx context.Context, verb string, enough func(pauses []time.Duration) bool, longest time.Duration, replicas int32, act func() error,
) ([]time.Duration, error) {
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
	var pauses []time.Duration
	long := max(s.patience, expectation.Scaled(patience, s.factor)) + starting
	// The pause that has begun when they fail no more may be the longest.
	longer := long + s.profile.Spec.Claims.Times.Retries().Longest.Duration
	ended := false
	err := s.await(ctx, longer, func() (bool, error) {
		if !ended && time.Since(began) > long {
			return false, context.DeadlineExceeded
		}
		if ended {
			if done, err := s.hasReplicas(ctx, "demo", replicas); done || err != nil {
				pauses = s.pauses(verb, "demo", began, time.Time{})
				return done, err
			}
		}
		pauses = s.pauses(verb, "demo", began, time.Now())
		if len(pauses) > 0 && slices.Max(pauses) >= longest {
			return true, nil
		}
		if ended || !enough(pauses[:max(0, len(pauses)-1)]) {
			return false, nil
		}
		ended = true
		return false, s.endFault(ctx, name)
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return nil, &unmet{found: fmt.Sprintf("requests to %s the Deployment fail, and there were %d and no success in %s; %s",
			verb, len(s.requests(verb, "demo", began)), rounded(time.Since(began)), s.lastWords(6))}
	}
	return pauses, err
}

// pauses returns how long the controller waited between its tries since a time, and from the
// last one until a time, if there is one.
func (s *stage) pauses(verb, name string, since, until time.Time) []time.Duration {
	return pausesBetween(s.sent(since), func(r history.Request) bool { return history.Matches(ofDeployment(verb, name), r) }, until)
}

// sent are all requests since a time, but watches, which end when nobody waits.
func (s *stage) sent(since time.Time) []history.Request {
	all := s.recorder.Requests(history.Query{Scenario: s.namespace, Since: since})
	return slices.DeleteFunc(all, func(r history.Request) bool { return r.Verb == history.VerbWatch })
}

// tries returns when requests for the Deployment of a name have come since a time.
func (s *stage) tries(verb, name string, since time.Time) (times []time.Time) {
	for _, r := range s.requests(verb, name, since) {
		times = append(times, r.Time)
	}
	return times
}

// answered returns when such requests had success.
func (s *stage) answered(verb, name string) (times []time.Time) {
	for _, r := range s.requests(verb, name, time.Time{}) {
		if r.Succeeded() {
			times = append(times, r.End())
		}
	}
	return times
}

func (s *stage) requests(verb, name string, since time.Time) []history.Request {
	return s.recorder.Requests(history.Query{Scenario: s.namespace, Since: since, Match: ofDeployment(verb, name)})
}

// ofDeployment selects the requests of a verb for the Deployment of a name.
func ofDeployment(verb, name string) v1alpha1.RequestMatch {
	return v1alpha1.RequestMatch{Verbs: []string{verb}, Resources: []string{"deployments.apps"}, Names: []string{name}}
}

func rounded(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }
