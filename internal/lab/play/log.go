package play

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/wait"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// logged checks in how many lines a controller tells of a failure.
func logged() play {
	return play{rules: []rule{{
		"log/once", "tells of each failure in one line, and in no second one", once,
	}}}
}

// once has creates of a Deployment fail, and counts the lines with the words of the answer.
func once(ctx context.Context, s *stage) error {
	const (
		name  = "troubled"
		words = "there is no room for it"
		least = 3
	)
	if err := s.bench(ctx, "faults", "Fault", name, map[string]any{
		"match":  map[string]any{"verbs": []any{"create"}, "resources": []any{"deployments.apps"}, "names": []any{name}},
		"action": map[string]any{"respond": map[string]any{"code": int64(500), "message": words}},
	}); err != nil {
		return err
	}
	failures := func() (n int) {
		for _, r := range s.recorder.Requests(history.Query{Scenario: s.namespace, Match: v1alpha1.RequestMatch{
			Verbs: []string{history.VerbCreate}, Resources: []string{"deployments.apps"}, Names: []string{name},
		}}) {
			if r.Fault == name {
				n++
			}
		}
		return n
	}
	if err := s.create(ctx, name); err != nil {
		return err
	}
	err := s.await(ctx, s.patience, func() (bool, error) { return failures() >= least, nil })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("creating Deployment %s was answered with 500, and %s later it was tried %d times; %s", name, s.patience, failures(), s.lastWords(6)), early: true}
	}
	if err != nil {
		return err
	}
	if err := s.endFault(ctx, name); err != nil {
		return err
	}
	if err := first(s.served(ctx, name, s.patience)); err != nil {
		return err
	}
	if err := s.finished(ctx, name); err != nil {
		return err
	}
	var told []string
	for _, line := range s.lines() {
		if strings.Contains(line, words) {
			told = append(told, line)
		}
	}
	if failed := failures(); len(told) != failed {
		return &unmet{found: fmt.Sprintf("creating Deployment %s failed %d times, and %d lines tell of that:\n    %s",
			name, failed, len(told), strings.Join(told, "\n    "))}
	}
	return nil
}
