package play

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
)

// status checks what a WebApp says of itself when its Deployment cannot be made.
func status() play {
	return play{rules: []rule{{
		"status/failed", "writes a phase, and not Running, if the Deployment of that name is somebody else's", failedPhase,
	}}}
}

func failedPhase(ctx context.Context, s *stage) error {
	if err := s.occupy(ctx, "shop", nil, nil); err != nil {
		return err
	}
	if err := s.create(ctx, "shop"); err != nil {
		return err
	}
	var phase string
	err := s.await(ctx, s.patience, func() (bool, error) {
		app, err := s.client.Resource(webApps).Namespace(s.namespace).Get(ctx, "shop", metav1.GetOptions{})
		if err != nil {
			return false, fmt.Errorf("reading WebApp shop: %w", err)
		}
		phase, _, err = unstructured.NestedString(app.Object, "status", "phase")
		return phase != "" && phase != "Running", err
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("Deployment shop is somebody else's, and %s after WebApp shop was created its status.phase is %q; %s",
			s.patience, phase, s.lastWords(6))}
	}
	return err
}
