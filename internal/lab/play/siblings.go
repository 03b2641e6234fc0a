package play

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/util/wait"
)

// siblings checks whether a child that cannot be had keeps the other from being made.
func siblings() play {
	return play{rules: []rule{{
		"siblings/service", `makes the Service though the Deployment cannot be had, and prints "NAMESPACE/NAME", with "failed"`, sibling,
	}}}
}

func sibling(ctx context.Context, s *stage) error {
	match := map[string]any{"verbs": []any{"create"}, "resources": []any{"deployments.apps"}, "names": []any{"demo"}}
	action := map[string]any{"respond": map[string]any{"code": int64(500)}}
	if err := s.bench(ctx, "faults", "Fault", "demo", map[string]any{"match": match, "action": action}); err != nil {
		return err
	}
	if err := s.create(ctx, "demo"); err != nil {
		return err
	}
	err := s.await(ctx, s.patience, func() (bool, error) { return s.exists(ctx, services, "demo") })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("creating Deployment demo is answered with 500, and there is no Service demo %s later; %s", s.patience, s.lastWords(6))}
	}
	if err != nil {
		return err
	}
	return s.expectFailure(ctx, "demo", "creating Deployment demo is answered with 500, and Service demo was made")
}
