package play

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// owner checks for which WebApps a controller makes children, and which children it takes for
// its own. It is for a lab whose controller does not yet watch or change children.
func owner() play {
	return play{apart: map[string]bool{"owner/service": true}, rules: []rule{
		{"owner/stranger", `prints "NAMESPACE/NAME", with "failed", if the Deployment of that name is somebody else's`, stranger},
		{"owner/service", "leaves a Service alone that nobody owns and that has the name of the WebApp", strangersService},
		{"owner/terminating", "makes no children for a WebApp that is being deleted, and does not take it for a failure", terminating},
		{"owner/no-delete", "sends no delete of children when a WebApp goes: that is the garbage collector's", noDelete},
	}}
}

// stranger creates WebApps whose Deployments are there already, and are somebody else's.
// Neither its labels nor the name or the kind of its owner tells whose a Deployment is.
func stranger(ctx context.Context, s *stage) error {
	configMap, webApp, err := s.otherOwners(ctx)
	if err != nil {
		return err
	}
	same, err := s.sameLabels(ctx, "other", "stall")
	if err != nil {
		return err
	}
	deployments := []struct {
		name, whose string
		owner       *metav1.OwnerReference
		labels      map[string]string
	}{
		{"shop", "nobody owns it", nil, nil},
		{"stall", "nobody owns it, though it has the labels", nil, same},
		{"mall", "ConfigMap mall owns it", configMap, nil},
		{"kiosk", "WebApp other owns it", webApp, nil},
	}
	var names []any
	for _, each := range deployments {
		names = append(names, each.name)
		if err := s.occupy(ctx, each.name, each.owner, each.labels); err != nil {
			return err
		}
	}
	touching := map[string]any{"match": map[string]any{
		"verbs": []any{"update", "delete"}, "resources": []any{"deployments.apps"}, "names": names,
	}}
	if err := s.silent(ctx, "touched", nil, touching, func() error {
		for _, each := range deployments {
			if err := s.create(ctx, each.name); err != nil {
				return err
			}
			if err := s.expect(ctx, "Finished", each.name, 0); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	for _, each := range deployments {
		if err := s.unchanged(ctx, each.name, each.owner, each.labels); err != nil {
			return err
		}
	}
	for _, each := range deployments {
		done := fmt.Sprintf("Deployment %[1]s is somebody else's (%[2]s), and WebApp %[1]s was created", each.name, each.whose)
		if err := s.expectFailure(ctx, each.name, done); err != nil {
			return err
		}
	}
	return s.handedOver(ctx, configMap)
}

// handedOver gives the Deployment of a WebApp another controller. The WebApp is still one of
// its owners.
func (s *stage) handedOver(ctx context.Context, controller *metav1.OwnerReference) error {
	const name = "annex"
	if err := s.createServed(ctx, name); err != nil {
		return err
	}
	if err := s.noMoreEvents(ctx, name); err != nil {
		return err
	}
	from := len(s.lines())
	owner, err := s.asOwner(ctx, name)
	if err != nil {
		return err
	}
	if err := s.setOwners(ctx, name, owner, *controller); err != nil {
		return err
	}
	if err := s.patch(ctx, name, `{"metadata":{"annotations":{"example.com/note":"look"}}}`); err != nil {
		return err
	}
	return s.expectFailureSince(ctx, name, from, fmt.Sprintf("%s %s controls Deployment %s, and WebApp %[3]s is only one of its owners", controller.Kind, controller.Name, name))
}

// asOwner returns a reference to a WebApp that owns something, and does not control it.
func (s *stage) asOwner(ctx context.Context, name string) (owner metav1.OwnerReference, err error) {
	app, err := s.client.Resource(webApps).Namespace(s.namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return owner, fmt.Errorf("reading a WebApp that owns a Deployment: %w", err)
	}
	return metav1.OwnerReference{APIVersion: app.GetAPIVersion(), Kind: app.GetKind(), Name: name, UID: app.GetUID()}, nil
}

// setOwners gives the Deployment of a name these owners, in this order.
func (s *stage) setOwners(ctx context.Context, name string, all ...metav1.OwnerReference) error {
	owners, err := json.Marshal(map[string]any{"metadata": map[string]any{"ownerReferences": all}})
	if err != nil {
		return fmt.Errorf("writing the owners of a Deployment: %w", err)
	}
	if _, err := s.kube.AppsV1().Deployments(s.namespace).Patch(ctx, name, types.MergePatchType, owners, metav1.PatchOptions{}); err != nil {
		return fmt.Errorf("giving a Deployment other owners: %w", err)
	}
	return nil
}

// failed matches the words of a line that tells of a failure.
var failed = regexp.MustCompile(`(?i)\bfail(s|ed|ure)?\b|\berror\b`)

// expectFailure waits for a line that says that the reconcile of a WebApp has failed.
func (s *stage) expectFailure(ctx context.Context, name, done string) error {
	return s.expectFailureSince(ctx, name, 0, done)
}

// expectFailureSince is like expectFailure. It looks only at lines from this number on.
func (s *stage) expectFailureSince(ctx context.Context, name string, from int, done string) error {
	return s.expectThat(ctx, fmt.Sprintf(`%s; no line with %s/%s and "failed"`, done, s.namespace, name), func([]string) bool {
		return len(s.failures(name, from)) > 0
	})
}

// otherOwners creates a ConfigMap, mall, and a WebApp, other, and returns controller
// references to them.
func (s *stage) otherOwners(ctx context.Context) (configMap, webApp *metav1.OwnerReference, err error) {
	mall, err := s.kube.CoreV1().ConfigMaps(s.namespace).Create(ctx,
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "mall"}}, metav1.CreateOptions{})
	if err != nil {
		return nil, nil, fmt.Errorf("creating a ConfigMap that owns a Deployment: %w", err)
	}
	if err := s.create(ctx, "other"); err != nil {
		return nil, nil, err
	}
	other, err := s.client.Resource(webApps).Namespace(s.namespace).Get(ctx, "other", metav1.GetOptions{})
	if err != nil {
		return nil, nil, fmt.Errorf("reading a WebApp that owns a Deployment: %w", err)
	}
	return metav1.NewControllerRef(mall, corev1.SchemeGroupVersion.WithKind("ConfigMap")),
		metav1.NewControllerRef(other, other.GroupVersionKind()), nil
}

// strangersService creates WebApps whose Services are there already, and are nobody's. One of
// them has the labels that the WebApp's own would have.
func strangersService(ctx context.Context, s *stage) error {
	const name, like, labelled = "counter", "other", "till"
	labels, err := s.sameLabels(ctx, like, labelled)
	if err != nil {
		return err
	}
	for _, each := range []struct {
		name, whose string
		labels      map[string]string
	}{{name, "nobody owned it", nil}, {labelled, "nobody owned it, though it has the labels", labels}} {
		made, err := s.occupyService(ctx, each.name, nil)
		if err != nil {
			return err
		}
		made.Labels = each.labels
		if made, err = s.kube.CoreV1().Services(s.namespace).Update(ctx, made, metav1.UpdateOptions{}); err != nil {
			return fmt.Errorf("giving somebody else's Service labels: %w", err)
		}
		if err := s.createServed(ctx, each.name); err != nil {
			return err
		}
		if err := s.expect(ctx, "Finished", each.name, 0); err != nil {
			return err
		}
		now, err := s.kube.CoreV1().Services(s.namespace).Get(ctx, each.name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return &unmet{found: fmt.Sprintf("Service %s was there before WebApp %[1]s, %s, and it was deleted; %s", each.name, each.whose, s.lastWords(6))}
		}
		if err != nil {
			return fmt.Errorf("looking at somebody else's Service: %w", err)
		}
		if now.ResourceVersion != made.ResourceVersion {
			return &unmet{found: fmt.Sprintf("Service %s was there before WebApp %[1]s, %s, and it was changed; %s", each.name, each.whose, s.lastWords(6))}
		}
	}
	return nil
}

// unchanged expects that a Deployment is still as somebody else has made it.
func (s *stage) unchanged(ctx context.Context, name string, owner *metav1.OwnerReference, labels map[string]string) error {
	d, err := s.kube.AppsV1().Deployments(s.namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return &unmet{found: fmt.Sprintf("Deployment %s is somebody else's, and was deleted; %s", name, s.lastWords(6))}
	}
	if err != nil {
		return fmt.Errorf("looking at somebody else's Deployment: %w", err)
	}
	owners := 0
	if owner != nil {
		owners = 1
	}
	if d.Generation > 1 || len(d.OwnerReferences) != owners || !maps.Equal(d.Labels, labels) {
		return &unmet{found: fmt.Sprintf("Deployment %s is somebody else's, and was changed; %s", name, s.lastWords(6))}
	}
	return nil
}

// sameLabels waits for the Deployment of a WebApp, and returns the labels that the one of
// another name would have.
func (s *stage) sameLabels(ctx context.Context, of, name string) (map[string]string, error) {
	if err := first(s.served(ctx, of, s.patience)); err != nil {
		return nil, err
	}
	deployment, err := s.kube.AppsV1().Deployments(s.namespace).Get(ctx, of, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("reading the labels of a Deployment: %w", err)
	}
	labels := map[string]string{}
	for key, value := range deployment.Labels {
		if value == of {
			value = name
		}
		labels[key] = value
	}
	return labels, nil
}

// occupy creates somebody else's Deployment. The owner and the labels may be nil.
func (s *stage) occupy(ctx context.Context, name string, owner *metav1.OwnerReference, own map[string]string) error {
	labels := map[string]string{"app": "somebody-elses"}
	deployment := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: own},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To[int32](0), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "registry.example/other:v1"}}},
			},
		},
	}
	if owner != nil {
		deployment.OwnerReferences = []metav1.OwnerReference{*owner}
	}
	if _, err := s.kube.AppsV1().Deployments(s.namespace).Create(ctx, deployment, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("creating somebody else's Deployment: %w", err)
	}
	return nil
}

// occupyService creates somebody else's Service. The owner may be nil.
func (s *stage) occupyService(ctx context.Context, name string, owner *metav1.OwnerReference) (*corev1.Service, error) {
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": "somebody-elses"}, Ports: []corev1.ServicePort{{Port: 7070}}},
	}
	if owner != nil {
		service.OwnerReferences = []metav1.OwnerReference{*owner}
	}
	service, err := s.kube.CoreV1().Services(s.namespace).Create(ctx, service, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("creating somebody else's Service: %w", err)
	}
	return service, nil
}
