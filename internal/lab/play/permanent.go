package play

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// resting is how long a controller is watched after a refusal, and attempts how many
	// there may be by then: the first, one for the news of its own status, and one more.
	resting  = 3 * time.Second
	attempts = 3
	// permanentPause is what the controller is told to wait after a refusal.
	permanentPause = 4 * time.Second
)

// permanent checks how soon a controller tries again what is refused for good, and whether it
// does. The time of its pause is given, so that nobody waits for the usual half minute.
func permanent() play {
	return play{arguments: []string{"--permanent-pause=" + permanentPause.String()}, rules: []rule{
		{
			"permanent/rests",
			fmt.Sprintf("tries at most %d times in %s to create what the API server refuses as forbidden or as invalid", attempts, resting), rests,
		},
		{
			"permanent/goes-on",
			fmt.Sprintf("started with --permanent-pause=%s, tries again after that to create what the API server refuses as forbidden or as invalid", permanentPause), goesOn,
		},
	}}
}

// refusals are the names of Deployments, and the codes with which their creates are answered.
func refusals() map[string]int64 { return map[string]int64{"forbidden": 403, "invalid": 422} }

// rests lets the creates of two Deployments be refused, each for another reason.
func rests(ctx context.Context, s *stage) error {
	for name, code := range refusals() {
		if err := s.createRefused(ctx, name, map[string]any{"code": code}); err != nil {
			return err
		}
	}
	for name, code := range refusals() {
		var tries []time.Time
		err := s.await(ctx, s.patience, func() (bool, error) {
			tries = s.tries("create", name, time.Time{})
			return len(tries) > attempts || len(tries) > 0 && time.Since(tries[0]) > resting, nil
		})
		if wait.Interrupted(err) && ctx.Err() == nil {
			return &unmet{found: fmt.Sprintf("nobody has tried to create Deployment %s within %s; %s", name, s.patience, s.lastWords(6)), early: true}
		}
		if err != nil {
			return err
		}
		if n := len(tries); n > attempts {
			return &unmet{found: fmt.Sprintf("creates of Deployment %s were answered with %d (%s), and it tried %d times in %s; %s",
				name, code, name, n, rounded(tries[n-1].Sub(tries[0])), s.lastWords(6))}
		}
	}
	return nil
}

// goesOn waits for one more attempt, which comes when the pause is over: nobody changes
// anything, and the news of the status have led to theirs before.
func goesOn(ctx context.Context, s *stage) error {
	for _, name := range slices.Sorted(maps.Keys(refusals())) {
		var tries []time.Time
		err := s.await(ctx, permanentPause+s.patience, func() (bool, error) {
			tries = s.tries("create", name, time.Time{})
			return tries[len(tries)-1].Sub(tries[0]) > resting, nil
		})
		if wait.Interrupted(err) && ctx.Err() == nil {
			return &unmet{found: fmt.Sprintf("creates of Deployment %s were answered with %d (%s), and --permanent-pause is %s: it tried %d times, and not again in the last %s; %s",
				name, refusals()[name], name, permanentPause, len(tries), rounded(time.Since(tries[len(tries)-1])), s.lastWords(6))}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
