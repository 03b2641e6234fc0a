package play

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
)

// conditions checks of which generation the conditions speak.
func conditions() play {
	return play{rules: []rule{{
		"conditions/generation", "writes into each condition the generation that it speaks of, also after a change", ofGeneration,
	}}}
}

func ofGeneration(ctx context.Context, s *stage) error {
	if err := s.create(ctx, "demo"); err != nil {
		return err
	}
	if err := s.speakOfNow(ctx, "WebApp demo was created"); err != nil {
		return err
	}
	if err := s.scale(ctx, "demo", 3); err != nil {
		return err
	}
	return s.speakOfNow(ctx, "WebApp demo was scaled")
}

// speakOfNow waits until there are conditions, and each is of the WebApp's generation.
func (s *stage) speakOfNow(ctx context.Context, done string) error {
	var wrong []string
	err := s.await(ctx, s.patience, func() (bool, error) {
		app, err := s.client.Resource(webApps).Namespace(s.namespace).Get(ctx, "demo", metav1.GetOptions{})
		if err != nil {
			return false, fmt.Errorf("reading WebApp demo: %w", err)
		}
		all, _, err := unstructured.NestedSlice(app.Object, "status", "conditions")
		if err != nil {
			return false, fmt.Errorf("reading the conditions: %w", err)
		}
		wrong = nil
		for _, c := range all {
			condition, _ := c.(map[string]any)
			of, found, _ := unstructured.NestedInt64(condition, "observedGeneration")
			switch {
			case !found:
				wrong = append(wrong, fmt.Sprintf("%v has no observedGeneration", condition["type"]))
			case of != app.GetGeneration():
				wrong = append(wrong, fmt.Sprintf("%v is of generation %d, and not of %d", condition["type"], of, app.GetGeneration()))
			}
		}
		if len(all) == 0 {
			wrong = []string{"there is no condition"}
		}
		return len(wrong) == 0, nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("%s; %s later %s", done, s.patience, strings.Join(wrong, ", "))}
	}
	return err
}
