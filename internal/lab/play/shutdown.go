package play

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
)

// shutdown checks what happens to a running reconcile when the process is told to end.
func shutdown() play {
	return play{arguments: []string{"--pretend-work=800ms"}, rules: []rule{
		{"shutdown/finishes", "told to end by SIGTERM while a reconcile runs, it finishes that one before it ends", finishes},
	}}
}

func finishes(ctx context.Context, s *stage) error {
	if err := s.create(ctx, "first"); err != nil {
		return err
	}
	if err := s.expect(ctx, "Started", "first", 0); err != nil {
		return err
	}
	if err := s.bench(ctx, "disruptions", "Disruption", "told", map[string]any{"action": "Terminate"}); err != nil {
		return err
	}
	disruptions := s.client.Resource(benchKind("disruptions")).Namespace(s.namespace)
	err := s.await(ctx, s.patience, func() (bool, error) {
		told, err := disruptions.Get(ctx, "told", metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		phase, _, err := unstructured.NestedString(told.Object, "status", "phase")
		return phase == "Done" || phase == "Failed", err
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{fmt.Sprintf("it has not ended %s after SIGTERM", s.patience)}
	}
	if err != nil {
		return err
	}
	lines := s.lines()
	if started, finished := count(lines, s.about("Started", "first")), count(lines, s.about("Finished", "first")); finished < started {
		return &unmet{"it ended in the middle of a reconcile: Started, and not Finished"}
	}
	return nil
}
