package play

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

const (
	// resting is how long a controller is watched after a refusal, and attempts how many
	// there may be by then: the first, one for the news of its own status, and one more.
	resting  = 3 * time.Second
	attempts = 3
)

// permanent checks how soon a controller tries again what is refused for good.
func permanent() play {
	return play{rules: []rule{{
		"permanent/rests",
		fmt.Sprintf("tries at most %d times in %s to create what the API server refuses as forbidden or as invalid", attempts, resting), rests,
	}}}
}

// rests lets the creates of two Deployments be refused, each for another reason.
func rests(ctx context.Context, s *stage) error {
	refusals := map[string]int64{"forbidden": 403, "invalid": 422}
	for name, code := range refusals {
		if err := s.createRefused(ctx, name, map[string]any{"code": code}); err != nil {
			return err
		}
	}
	for name, code := range refusals {
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
