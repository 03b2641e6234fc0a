package play

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
)

// conditions checks of which generation the conditions speak.
func conditions() play {
	return play{apart: map[string]bool{"conditions/says-why": true, "conditions/progressing": true}, rules: []rule{
		{"conditions/generation", "writes into each condition the generation that it speaks of, also after a change", ofGeneration},
		{"conditions/says-why", "has the words of the API server in the message of the condition that tells of a failure", saysWhy},
		{"conditions/progressing", "has Available, Progressing and Degraded, and Progressing is True while a rollout goes on, and not after it", progressing},
	}}
}

// progressing has a rollout that ends, and then one that does not: no Pod of that image becomes
// ready.
func progressing(ctx context.Context, s *stage) error {
	const name = "onward"
	if err := s.create(ctx, name); err != nil {
		return err
	}
	if err := s.haveStates(ctx, name, "all its Pods are ready", map[string]string{"Available": "True", "Progressing": "False", "Degraded": "False"}); err != nil {
		return err
	}
	if err := s.patch(ctx, name, `{"spec":{"image":"registry.example/demo:never-ready"}}`); err != nil {
		return err
	}
	return s.haveStates(ctx, name, "it got an image whose Pods do not become ready", map[string]string{"Progressing": "True"})
}

// haveStates waits until conditions of a WebApp have the status that each is to have.
func (s *stage) haveStates(ctx context.Context, name, done string, want map[string]string) error {
	var wrong []string
	err := s.await(ctx, s.patience, func() (bool, error) {
		all, _, err := s.conditionsOf(ctx, name)
		if err != nil {
			return false, err
		}
		is := map[string]string{}
		for _, condition := range all {
			is[fmt.Sprint(condition["type"])] = fmt.Sprint(condition["status"])
		}
		wrong = nil
		for _, kind := range slices.Sorted(maps.Keys(want)) {
			if is[kind] != want[kind] {
				wrong = append(wrong, fmt.Sprintf("%s is %s, want %s", kind, cmp.Or(is[kind], "missing"), want[kind]))
			}
		}
		return len(wrong) == 0, nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("WebApp %s: %s, and %s later %s; %s", name, done, s.patience, strings.Join(wrong, ", "), s.lastWords(6))}
	}
	return err
}

// saysWhy has the create of a Deployment refused, with words that stand nowhere else, and then
// lets it succeed.
func saysWhy(ctx context.Context, s *stage) error {
	const name, words = "refused", "the quota of this quarter is used up"
	claims := s.profile.Spec.Claims.Reporting
	if claims == nil || claims.Condition == nil {
		return &unmet{found: "profile.yaml does not say which condition tells of a failure: spec.claims.reporting.condition"}
	}
	tells := claims.Condition
	if err := s.createRefused(ctx, name, map[string]any{"code": int64(403), "message": words}); err != nil {
		return err
	}
	refused := fmt.Sprintf("creating Deployment %s was answered with 403 (%s)", name, words)
	if err := s.awaitReport(ctx, name, tells.Type, refused, func(status, message string) bool {
		return status == string(tells.Status) && strings.Contains(message, words)
	}); err != nil {
		return err
	}
	if err := s.endFault(ctx, name); err != nil {
		return err
	}
	if err := told(s.served(ctx, name, s.patience), refused); err != nil {
		return err
	}
	return s.awaitReport(ctx, name, tells.Type, refused+", and the next time it succeeded", func(status, message string) bool {
		return status != string(tells.Status) && !strings.Contains(message, words)
	})
}

// awaitReport waits until a condition of a WebApp has a status and a message that fit.
func (s *stage) awaitReport(ctx context.Context, name, kind, done string, fit func(status, message string) bool) error {
	is := ""
	err := s.await(ctx, s.patience, func() (bool, error) {
		all, _, err := s.conditionsOf(ctx, name)
		if err != nil {
			return false, err
		}
		is = "there is no " + kind
		for _, condition := range all {
			if condition["type"] != kind {
				continue
			}
			status := fmt.Sprint(condition["status"])
			message, _, _ := unstructured.NestedString(condition, "message")
			is = fmt.Sprintf("%s is %s, with the message %q", kind, status, message)
			return fit(status, message), nil
		}
		return false, nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("%s; %s later %s; %s", done, s.patience, is, s.lastWords(6))}
	}
	return err
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
		all, generation, err := s.conditionsOf(ctx, "demo")
		if err != nil {
			return false, err
		}
		wrong = nil
		for _, condition := range all {
			of, found, _ := unstructured.NestedInt64(condition, "observedGeneration")
			switch {
			case !found:
				wrong = append(wrong, fmt.Sprintf("%v has no observedGeneration", condition["type"]))
			case of != generation:
				wrong = append(wrong, fmt.Sprintf("%v is of generation %d, and not of %d", condition["type"], of, generation))
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

// conditionsOf returns the conditions of a WebApp, and its generation.
func (s *stage) conditionsOf(ctx context.Context, name string) (all []map[string]any, generation int64, err error) {
	app, err := s.webApp(ctx, name)
	if err != nil {
		return nil, 0, err
	}
	list, _, err := unstructured.NestedSlice(app.Object, "status", "conditions")
	if err != nil {
		return nil, 0, fmt.Errorf("reading the conditions: %w", err)
	}
	for _, one := range list {
		condition, _ := one.(map[string]any)
		all = append(all, condition)
	}
	return all, app.GetGeneration(), nil
}
