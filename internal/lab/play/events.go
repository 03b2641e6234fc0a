package play

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

// events checks of which children a controller tells.
func events() play {
	return play{rules: []rule{{
		"events/service", "tells by an Event on the WebApp that its Service was created", ofService,
	}}}
}

func ofService(ctx context.Context, s *stage) error {
	const name = "demo"
	if err := s.create(ctx, name); err != nil {
		return err
	}
	var told []string
	err := s.await(ctx, s.patience, func() (bool, error) {
		all, err := s.kube.CoreV1().Events(s.namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.name=" + name})
		if err != nil {
			return false, fmt.Errorf("looking at the Events: %w", err)
		}
		told = nil
		for _, e := range all.Items {
			if e.InvolvedObject.Kind != "WebApp" {
				continue
			}
			words := fmt.Sprintf("%s (%s)", e.Reason, e.Message)
			if strings.Contains(strings.ToLower(words), "service") {
				return true, nil
			}
			told = append(told, words)
		}
		return false, nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("WebApp %s was created, and %s later no Event on it tells of its Service; those on it: [%s]; %s",
			name, s.patience, strings.Join(told, ", "), s.lastWords(6))}
	}
	return err
}
