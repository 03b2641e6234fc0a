package play

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// logged checks in how many lines a controller tells of a failure.
func logged() play {
	return play{rules: []rule{{
		"log/once", "tells of each failure in one line, and in no second one, and of no failure if there is none", once,
	}}}
}

// once has creates of Deployments fail, and counts the lines with the words of the answer. One
// failure is of those that pass, and the other is refused for good: there may be a branch
// for each.
func once(ctx context.Context, s *stage) error {
	if err := s.toldOnce(ctx, "troubled", 500, 3); err != nil {
		return err
	}
	if err := s.toldOnce(ctx, "refused", 403, 1); err != nil {
		return err
	}
	return s.toldNothing(ctx, "healthy")
}

// toldNothing has a WebApp looked at a few times, with which nothing is wrong.
func (s *stage) toldNothing(ctx context.Context, name string) error {
	if err := s.withBoth(ctx, name); err != nil {
		return err
	}
	for n := range strayFailures + 2 {
		if err := s.patch(ctx, name, fmt.Sprintf(`{"metadata":{"annotations":{"example.com/note":"look-%d"}}}`, n)); err != nil {
			return err
		}
		if err := s.settle(ctx); err != nil && !wait.Interrupted(err) {
			return err
		}
	}
	if told := s.failures(name, 0); len(told) > strayFailures {
		return &unmet{found: fmt.Sprintf("nothing is wrong with WebApp %s, and %d lines tell of a failure; the last one: %s", name, len(told), told[len(told)-1])}
	}
	return nil
}

// stable is how long the lines must be as many as the failures, so that no line is to come.
const stable = time.Second

// toldOnce has creates of a Deployment be answered with a code, at least so many times.
func (s *stage) toldOnce(ctx context.Context, name string, code int64, least int) error {
	words := "there is no room for " + name
	if err := s.createRefused(ctx, name, map[string]any{"code": code, "message": words}); err != nil {
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
	err := s.await(ctx, s.patience, func() (bool, error) { return failures() >= least, nil })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("creating Deployment %s was answered with %d, and %s later it was tried %d times; %s", name, code, s.patience, failures(), s.lastWords(6)), early: true}
	}
	if err != nil {
		return err
	}
	if err := s.endFault(ctx, name); err != nil {
		return err
	}
	var told []string
	since := time.Now() // the last time when the lines were not as many as the failures
	err = s.await(ctx, s.patience, func() (bool, error) {
		told = nil
		for _, line := range s.lines() {
			if strings.Contains(line, words) {
				told = append(told, line)
			}
		}
		if len(told) != failures() {
			since = time.Now()
		}
		return time.Since(since) > stable, nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("creating Deployment %s was answered with %d, failed %d times, and %d lines tell of that:\n    %s",
			name, code, failures(), len(told), strings.Join(told, "\n    "))}
	}
	return err
}
