package play

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// notOurs is what somebody else writes into the labels of the controller.
const notOurs = "somebody-elses"

// theirs are labels that somebody else puts on the children and on the Pods, and
// annotations of the children. The second has the prefix that the labels of most
// controllers have, and the third has none.
func theirs() []string { return []string{"example.com/team", "app.kubernetes.io/part-of", "team"} }

// labels checks what of the children a controller sets right, and what it leaves alone, because it
// is somebody else's.
func labels() play {
	return play{rules: []rule{{
		"labels/both", "sets its own labels right on the Deployment and on the Service, leaves those of others there and on the Pods, and their annotations, and then writes neither child", both,
	}, {
		"labels/fields", "leaves the fields that others have set in the container and in the Service when the image and the port change", fields,
	}}}
}

// fields lets somebody else set a field of each child, beside those of the controller, and then
// changes the WebApp.
func fields(ctx context.Context, s *stage) error {
	const image, port = "registry.example/demo:v2", 9090
	requests := []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"app","resources":{"requests":{"cpu":"10m"}}}]}}}}`)
	if _, err := s.kube.AppsV1().Deployments(s.namespace).Patch(ctx, "demo", types.StrategicMergePatchType, requests, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("changing the container of a Deployment: %w", err)
	}
	affinity := []byte(`{"spec":{"sessionAffinity":"ClientIP"}}`)
	if _, err := s.kube.CoreV1().Services(s.namespace).Patch(ctx, "demo", types.MergePatchType, affinity, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("changing a Service: %w", err)
	}
	if err := s.patch(ctx, "demo", fmt.Sprintf(`{"spec":{"image":%q,"port":%d}}`, image, port)); err != nil {
		return err
	}
	const done = "somebody else has set the requests of the container, and the sessionAffinity of the Service, and then the WebApp got a new image and a new port"
	if err := told(s.awaitChildren(ctx, image, port), done); err != nil {
		return err
	}
	if err := s.settle(ctx); err != nil && !wait.Interrupted(err) {
		return err
	}
	deployment, service, err := s.children(ctx)
	if err != nil {
		return err
	}
	var gone []string
	for _, c := range deployment.Spec.Template.Spec.Containers {
		if c.Name == "app" && c.Resources.Requests.Cpu().IsZero() {
			gone = append(gone, "the requests of the container")
		}
	}
	if service.Spec.SessionAffinity != corev1.ServiceAffinityClientIP {
		gone = append(gone, "the sessionAffinity of the Service")
	}
	if len(gone) > 0 {
		return &unmet{found: done + "; gone since: " + strings.Join(gone, ", ")}
	}
	return nil
}

// both lets somebody else change all labels of the children, and add some.
func both(ctx context.Context, s *stage) error {
	if err := s.create(ctx, "demo"); err != nil {
		return err
	}
	if err := first(s.awaitChildren(ctx, "registry.example/demo:v1", 8080)); err != nil {
		return err
	}
	own, err := s.labelsOf(ctx)
	if err != nil {
		return err
	}
	if err := s.mislabel(ctx, own, podsToo); err != nil {
		return err
	}
	done := "somebody else has changed the labels of both children, and added labels and annotations " + strings.Join(theirs(), ", ")
	if err := told(s.awaitLabels(ctx, own), done); err != nil {
		return err
	}
	// The write that sets the last of them right is followed by one more look.
	if err := s.settle(ctx); err != nil && !wait.Interrupted(err) {
		return err
	}
	deployment, service, err := s.children(ctx)
	if err != nil {
		return err
	}
	for _, each := range []struct {
		of  string
		now map[string]string
	}{
		{"labels of the Deployment", deployment.Labels},
		{"labels of the Service", service.Labels},
		{"labels in the template of the Pods", deployment.Spec.Template.Labels},
		{"annotations of the Deployment", deployment.Annotations},
		{"annotations of the Service", service.Annotations},
	} {
		for _, key := range theirs() {
			if each.now[key] == "" {
				return &unmet{found: fmt.Sprintf("%s; its own labels are right again, and %s is gone from the %s", done, key, each.of)}
			}
		}
	}
	if err := s.rolledOut(ctx, "demo"); err != nil {
		return err
	}
	children := map[string]any{"match": map[string]any{"verbs": writes(), "resources": []any{"deployments.apps", "services"}}}
	return told(s.silent(ctx, "at-rest", nil, children, func() error { return s.note(ctx, "look again") }),
		done+"; its own labels are right again, and it looks at the WebApp once more")
}

// settle waits until the controller sends nothing.
func (s *stage) settle(ctx context.Context) error {
	s.settled++
	name := fmt.Sprintf("settled-%d", s.settled)
	if err := s.bench(ctx, "traffics", "Traffic", name, map[string]any{"start": string(v1alpha1.StartQuiet), "windowMs": int64(100)}); err != nil {
		return err
	}
	return s.met(ctx, "traffics", name, s.patience)
}

// rolledOut waits until the Deployment of a WebApp is rolled out: after that, no event of it
// comes by itself.
func (s *stage) rolledOut(ctx context.Context, name string) error {
	return s.deploymentIs(ctx, name, func(d *appsv1.Deployment) bool {
		want, is := ptr.Deref(d.Spec.Replicas, 1), d.Status
		return is.ObservedGeneration >= d.Generation && is.Replicas == want && is.UpdatedReplicas == want && is.AvailableReplicas == want
	})
}

// mislabelled says which objects get wrong labels.
type mislabelled string

const (
	onlyChildren mislabelled = "children"
	podsToo      mislabelled = "children and Pods" // these are rolled out
)

// mislabel changes all labels of the children, and adds some, and annotations, in one
// write for each child.
func (s *stage) mislabel(ctx context.Context, own map[string]map[string]string, of mislabelled) error {
	for child, labels := range own {
		changed := map[string]any{}
		for key := range labels {
			changed[key] = notOurs
		}
		added := map[string]any{}
		for _, key := range theirs() {
			if _, own := labels[key]; !own {
				changed[key], added[key] = "a", "a"
			}
		}
		annotations := map[string]any{}
		for _, key := range theirs() {
			annotations[key] = "a"
		}
		patched := map[string]any{"metadata": map[string]any{"labels": changed, "annotations": annotations}}
		resource := services
		if child == "Deployment" {
			resource = deployments
			if of == podsToo {
				patched["spec"] = map[string]any{"template": map[string]any{"metadata": map[string]any{"labels": added}}}
			}
		}
		patch, err := json.Marshal(patched)
		if err != nil {
			return fmt.Errorf("encoding labels: %w", err)
		}
		_, err = s.client.Resource(resource).Namespace(s.namespace).Patch(ctx, "demo", types.MergePatchType, patch, metav1.PatchOptions{})
		if err != nil {
			return fmt.Errorf("changing the labels of a child: %w", err)
		}
	}
	return nil
}

// awaitLabels waits until the children have their own labels again.
func (s *stage) awaitLabels(ctx context.Context, own map[string]map[string]string) error {
	var missing []string
	err := s.await(ctx, s.patience, func() (bool, error) {
		now, err := s.labelsOf(ctx)
		if apierrors.IsNotFound(err) {
			missing = []string{err.Error()}
			return false, nil
		}
		if err != nil {
			return false, err
		}
		missing = nil
		for _, child := range slices.Sorted(maps.Keys(own)) {
			for _, key := range slices.Sorted(maps.Keys(own[child])) {
				if now[child][key] != own[child][key] {
					missing = append(missing, fmt.Sprintf("%s of the %s is %q", key, child, now[child][key]))
				}
			}
		}
		return len(missing) == 0, nil
	})
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("%s later %s; %s", s.patience, strings.Join(missing, ", "), s.lastWords(6))}
	}
	return err
}

// labelsOf returns the labels of the children of WebApp demo.
func (s *stage) labelsOf(ctx context.Context) (map[string]map[string]string, error) {
	deployment, service, err := s.children(ctx)
	if err != nil {
		return nil, err
	}
	return map[string]map[string]string{"Deployment": deployment.Labels, "Service": service.Labels}, nil
}

// children returns the children of WebApp demo.
func (s *stage) children(ctx context.Context) (*appsv1.Deployment, *corev1.Service, error) {
	deployment, err := s.kube.AppsV1().Deployments(s.namespace).Get(ctx, "demo", metav1.GetOptions{})
	if err != nil {
		return nil, nil, fmt.Errorf("looking at Deployment demo: %w", err)
	}
	service, err := s.kube.CoreV1().Services(s.namespace).Get(ctx, "demo", metav1.GetOptions{})
	if err != nil {
		return nil, nil, fmt.Errorf("looking at Service demo: %w", err)
	}
	return deployment, service, nil
}
