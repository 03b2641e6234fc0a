package play

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8slabels "k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// siblings checks whether a child that cannot be had keeps the other from being made, and
// whether the Service of one WebApp has the Pods of another.
func siblings() play {
	apart := map[string]bool{"siblings/service": true, "siblings/deployment": true, "siblings/missing": true, "siblings/own-pods": true}
	return play{apart: apart, rules: []rule{
		{"siblings/service", `makes the Service though the Deployment cannot be had, and prints "NAMESPACE/NAME", with "failed"`, sibling},
		{"siblings/deployment", `makes the Deployment though the Service cannot be had or cannot be read, and prints "NAMESPACE/NAME", with "failed"`, siblingOfService},
		{"siblings/missing", "makes the Service again if it is missing at the next look, though the Deployment is there", missingService},
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

// missingService deletes the Service of a WebApp, and changes that, so that it is looked at.
func missingService(ctx context.Context, s *stage) error {
	const name = "annexe"
	if err := s.withBoth(ctx, name); err != nil {
		return err
	}
	if err := s.loseService(ctx, name); err != nil {
		return err
	}
	if err := s.scale(ctx, name, 3); err != nil {
		return err
	}
	err := s.await(ctx, s.patience, func() (bool, error) { return s.exists(ctx, services, name) })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("Service %[1]s was deleted, and then WebApp %[1]s was changed; %[2]s later the Service is not there; %[3]s", name, s.patience, s.lastWords(6))}
	}
	return err
}

// child is one of the two children of a WebApp.
type child struct {
	kind, resource string // as people and as Faults call it
	of             schema.GroupVersionResource
}

func sibling(ctx context.Context, s *stage) error {
	return s.oneFails(ctx, "demo", child{"Deployment", "deployments.apps", deployments}, child{"Service", "services", services})
}

// siblingOfService also looks at what a Service of somebody else stands in the way of.
func siblingOfService(ctx context.Context, s *stage) error {
	err := s.oneFails(ctx, "stall", child{"Service", "services", services}, child{"Deployment", "deployments.apps", deployments})
	if err != nil {
		return err
	}
	configMap, webApp, err := s.otherOwners(ctx)
	if err != nil {
		return err
	}
	for _, each := range []struct {
		name, whose string
		owner       *metav1.OwnerReference
	}{
		{"shop", "nobody owns it", nil},
		{"kiosk", "a ConfigMap owns it", configMap},
		{"branch", "another WebApp owns it", webApp},
	} {
		if _, err := s.occupyService(ctx, each.name, each.owner); err != nil {
			return err
		}
		if err := s.create(ctx, each.name); err != nil {
			return err
		}
		done := fmt.Sprintf("Service %[1]s is somebody else's (%[2]s), and WebApp %[1]s was created", each.name, each.whose)
		if err := s.expectFailure(ctx, each.name, done); err != nil {
			return err
		}
		if err := s.served(ctx, each.name, s.patience); err != nil {
			return err
		}
	}
	return s.unreadable(ctx)
}

// unreadable lets the reads of a Service fail. A controller that has a cache sends none, and
// then nothing fails.
func (s *stage) unreadable(ctx context.Context) error {
	const name = "closed"
	if err := s.bench(ctx, "faults", "Fault", name, map[string]any{
		"match":  map[string]any{"verbs": []any{"get"}, "resources": []any{"services"}, "names": []any{name}},
		"action": map[string]any{"respond": map[string]any{"code": int64(500)}},
	}); err != nil {
		return err
	}
	if err := s.create(ctx, name); err != nil {
		return err
	}
	const done = "reading Service closed is answered with 500"
	if err := told(s.served(ctx, name, s.patience), done); err != nil {
		return err
	}
	if err := s.expect(ctx, "Finished", name, 0); err != nil {
		return err
	}
	var fault v1alpha1.Fault
	if err := s.get(ctx, "faults", name, &fault); err != nil || fault.Status.Hits == 0 {
		return err
	}
	return s.expectFailure(ctx, name, done)
}

// oneFails lets each create of one child fail, and waits for the other child, and for a line
// that tells of the failure.
func (s *stage) oneFails(ctx context.Context, name string, failing, other child) error {
	if err := s.onCreate(ctx, failing.resource, name, map[string]any{"respond": map[string]any{"code": int64(500)}}); err != nil {
		return err
	}
	if err := s.create(ctx, name); err != nil {
		return err
	}
	err := s.await(ctx, s.patience, func() (bool, error) { return s.exists(ctx, other.of, name) })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("creating %[1]s %[2]s is answered with 500, and there is no %[3]s %[2]s %[4]s later; %[5]s", failing.kind, name, other.kind, s.patience, s.lastWords(6))}
	}
	if err != nil {
		return err
	}
	return s.expectFailure(ctx, name, fmt.Sprintf("creating %s %s is answered with 500, and %s %[2]s was made", failing.kind, name, other.kind))
}
