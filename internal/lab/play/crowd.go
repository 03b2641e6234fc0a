package play

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"reconform.dev/reconform/internal/profile/expectation"
)

const (
	// failing is how many WebApps fail at the same time: more than there are workers.
	failing = 20
	// failures is how often each of them has failed before another one comes, and failuresIn
	// how long to wait for that. By then, a worker that sleeps after a failure sleeps for long.
	failures   = 4
	failuresIn = 6 * time.Second
	// waiting is how long another one may wait. Without sleeping workers it takes a moment.
	waiting = 4 * time.Second
)

// crowd checks whether those that fail keep the workers from the others.
func crowd() play {
	return play{rules: []rule{{
		"crowd/served", fmt.Sprintf("serves another WebApp within %s while %d fail for ever", waiting, failing), served,
	}}}
}

func served(ctx context.Context, s *stage) error {
	var names []any
	for n := range failing {
		names = append(names, fmt.Sprintf("failing-%d", n))
	}
	match := map[string]any{"verbs": []any{"create"}, "resources": []any{"deployments.apps"}, "names": names}
	action := map[string]any{"respond": map[string]any{"code": int64(500)}}
	if err := s.bench(ctx, "faults", "Fault", "failing", map[string]any{
		"match": match, "action": action, "expectedHits": int64(failures * failing),
	}); err != nil {
		return err
	}
	for _, name := range names {
		if err := s.create(ctx, name.(string)); err != nil {
			return err
		}
	}
	// Those that try more seldom are not to be waited for.
	if err := s.met(ctx, "faults", "failing", failuresIn); err != nil && !wait.Interrupted(err) {
		return err
	}
	if err := s.create(ctx, "another"); err != nil {
		return err
	}
	return told(s.served(ctx, "another", expectation.Scaled(waiting, max(1, s.factor))), fmt.Sprintf("%d WebApps fail again and again", failing))
}
