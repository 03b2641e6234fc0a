package play

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/util/wait"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// rest checks what a controller sends when there is nothing to do. Requests that change
// nothing, and those that are refused, count too.
func rest() play {
	return play{rules: []rule{
		{"rest/looks", "looks at a WebApp whose children are as they should be, and sends no write", looks},
		{"rest/restarts", "does the same when it is started again", restarts},
	}}
}

// looks has the controller look at a WebApp once it is at rest.
func looks(ctx context.Context, s *stage) error {
	if err := s.create(ctx, "demo"); err != nil {
		return err
	}
	if err := s.served(ctx, "demo", s.patience); err != nil {
		return err
	}
	settled := map[string]any{"start": string(v1alpha1.StartQuiet), "windowMs": int64(100)}
	if err := s.bench(ctx, "traffics", "Traffic", "settled", settled); err != nil {
		return err
	}
	if err := s.met(ctx, "traffics", "settled", s.patience); wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{fmt.Sprintf("it has not come to rest within %s: it changes something again and again; %s", s.patience, s.lastWords(6))}
	} else if err != nil {
		return err
	}
	return s.silent(ctx, "looked", map[string]any{"windowMs": int64(1500), "expect": noRequest()}, func() error {
		return s.patch(ctx, "demo", `{"metadata":{"annotations":{"example.com/note":"look"}}}`)
	})
}

func restarts(ctx context.Context, s *stage) error {
	if _, err := s.disrupt(ctx, v1alpha1.ActionRestart); err != nil {
		return err
	}
	if err := s.ready(ctx); err != nil {
		return err
	}
	since := map[string]any{"since": fmt.Sprintf("disruption-%d", s.disruptions), "windowMs": int64(1500), "expect": noRequest()}
	return s.silent(ctx, "restarted", since, func() error { return nil })
}

func noRequest() map[string]any { return map[string]any{"requests": map[string]any{"max": int64(0)}} }

// silent counts the writes from when something is done, and expects none.
func (s *stage) silent(ctx context.Context, name string, measured map[string]any, act func() error) error {
	measured["match"] = map[string]any{"verbs": []any{"create", "update", "delete"}}
	if err := s.bench(ctx, "traffics", "Traffic", name, measured); err != nil {
		return err
	}
	if err := act(); err != nil {
		return err
	}
	var counted v1alpha1.Traffic
	err := s.await(ctx, s.patience, func() (bool, error) {
		err := s.get(ctx, "traffics", name, &counted)
		return !counted.Status.Verdict.IsPending(), err
	})
	if err != nil {
		return fmt.Errorf("counting the writes: %w", err)
	}
	if counted.Status.Verdict != v1alpha1.JudgementMet {
		return &unmet{counted.Status.Message}
	}
	return nil
}
