package play

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"reconform.dev/reconform/internal/profile/expectation"
	"reconform.dev/reconform/internal/record/history"
)

const (
	// failing is how many WebApps fail at the same time: more than there are workers.
	failing = 20
	// failures is how often each of them has failed before another one comes, and failuresIn
	// how long to wait for that. By then, a worker that sleeps after a failure sleeps for long.
	failures   = 4
	failuresIn = 6 * time.Second
	// waiting is how long the controller may send nothing while another one waits. Workers that
	// sleep do so for longer. That of a busy machine is work, and is not counted.
	waiting = 2500 * time.Millisecond
)

// crowd checks whether those that fail keep the workers from the others.
func crowd() play {
	return play{rules: []rule{{
		"crowd/served", fmt.Sprintf("serves another WebApp while %d fail for ever, and does not let it wait for %s without sending a request", failing, waiting), served,
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
	began := time.Now()
	if err := s.create(ctx, "another"); err != nil {
		return err
	}
	most, long := expectation.Scaled(waiting, max(1, s.factor)), max(s.patience, patience)
	var slept time.Duration
	err := s.await(ctx, long, func() (bool, error) {
		slept = silence(s.sent(began), began, time.Now())
		done, err := s.there(ctx, "another")
		if err == nil && !done && slept > most {
			return false, context.DeadlineExceeded
		}
		return done, err
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("%d WebApps fail again and again: WebApp another has no Deployment %s after it was created, and in %s of them the controller sent nothing; %s",
			failing, rounded(time.Since(began)), rounded(slept), s.lastWords(6))}
	}
	return err
}

// silence is how long no request had to be answered, from a time until another.
func silence(requests []history.Request, from, until time.Time) (total time.Duration) {
	answered := from
	for _, r := range requests {
		total += max(0, r.Time.Sub(answered))
		if end := r.End(); end.After(answered) {
			answered = end
		}
	}
	return total + max(0, until.Sub(answered))
}
