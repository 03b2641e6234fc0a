package play

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8slabels "k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
)

// siblings checks whether a child that cannot be had keeps the other from being made, and
// whether the Service of one WebApp has the Pods of another.
func siblings() play {
	return play{apart: map[string]bool{"siblings/service": true, "siblings/own-pods": true}, rules: []rule{
		{"siblings/service", `makes the Service though the Deployment cannot be had, and prints "NAMESPACE/NAME", with "failed"`, sibling},
		{"siblings/own-pods", "lets each of two Services select the Pods of its own WebApp, and not those of the other", ownPods},
	}}
}

// ownPods creates two WebApps, and compares their selectors with the labels of all Pods.
func ownPods(ctx context.Context, s *stage) error {
	apps := []string{"left", "right"}
	for _, name := range apps {
		if err := s.create(ctx, name); err != nil {
			return err
		}
	}
	for _, name := range apps {
		err := s.await(ctx, s.patience, func() (bool, error) {
			has, err := s.there(ctx, name)
			if !has || err != nil {
				return false, err
			}
			return s.exists(ctx, services, name)
		})
		if wait.Interrupted(err) && ctx.Err() == nil {
			return &unmet{found: fmt.Sprintf("WebApp %s was created, and does not have both children %s later; %s", name, s.patience, s.lastWords(6)), early: true}
		}
		if err != nil {
			return err
		}
	}
	for _, name := range apps {
		service, err := s.kube.CoreV1().Services(s.namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return fmt.Errorf("looking at the selector of a Service: %w", err)
		}
		for _, of := range apps {
			deployment, err := s.kube.AppsV1().Deployments(s.namespace).Get(ctx, of, metav1.GetOptions{})
			if err != nil {
				return fmt.Errorf("looking at the labels of Pods: %w", err)
			}
			selector, pods := k8slabels.Set(service.Spec.Selector), k8slabels.Set(deployment.Spec.Template.Labels)
			switch selects := len(selector) > 0 && selector.AsSelector().Matches(pods); {
			case of == name && !selects:
				return &unmet{found: fmt.Sprintf("Service %s has the selector [%s], and the Pods of its WebApp have the labels [%s]: it does not select them", name, selector, pods)}
			case of != name && selects:
				return &unmet{found: fmt.Sprintf("Service %s has the selector [%s], and the Pods of WebApp %s have the labels [%s]: it selects them, too", name, selector, of, pods)}
			}
		}
	}
	return nil
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
