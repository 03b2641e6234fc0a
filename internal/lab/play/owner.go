package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
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
	return s.expectFailure(ctx, name, fmt.Sprintf("%s %s controls Deployment %s, and WebApp %[3]s is only one of its owners", controller.Kind, controller.Name, name))
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
	about := s.about("", name)
	return s.expectThat(ctx, fmt.Sprintf(`%s; no line with %s/%s and "failed"`, done, s.namespace, name), func(lines []string) bool {
		return slices.ContainsFunc(lines, func(line string) bool { return about.MatchString(line) && failed.MatchString(line) })
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

// strangersService creates a WebApp whose Service is there already, and is nobody's.
func strangersService(ctx context.Context, s *stage) error {
	const name = "counter"
	made, err := s.occupyService(ctx, name, nil)
	if err != nil {
		return err
	}
	if err := s.createServed(ctx, name); err != nil {
		return err
	}
	if err := s.expect(ctx, "Finished", name, 0); err != nil {
		return err
	}
	now, err := s.kube.CoreV1().Services(s.namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return &unmet{found: fmt.Sprintf("Service %s was there before WebApp %[1]s, nobody owned it, and it was deleted; %s", name, s.lastWords(6))}
	}
	if err != nil {
		return fmt.Errorf("looking at somebody else's Service: %w", err)
	}
	if now.ResourceVersion != made.ResourceVersion {
		return &unmet{found: fmt.Sprintf("Service %s was there before WebApp %[1]s, nobody owned it, and it was changed; %s", name, s.lastWords(6))}
	}
	return nil
}

// unchanged expects a Deployment as somebody else has made it.
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

// noDelete looks at the requests that the controller has sent for the WebApp of terminating,
// from its deletion until it was gone.
func noDelete(ctx context.Context, s *stage) error {
	if err := s.expectGone(ctx, "demo"); err != nil {
		return first(err)
	}
	if err := s.finished(ctx, "demo"); err != nil {
		return err
	}
	deletes := s.recorder.Requests(history.Query{Scenario: s.namespace, Match: v1alpha1.RequestMatch{
		Verbs: []string{history.VerbDelete}, Resources: []string{"deployments.apps", "services"},
	}})
	if len(deletes) > 0 {
		return &unmet{found: fmt.Sprintf("WebApp demo was deleted, and the controller has sent a request to delete a child of it: %s", deletes[0].InWords())}
	}
	return nil
}

// namesake checks whether a WebApp gets its Deployment once somebody else's of that name is
// gone, in a controller that does not retry yet.
func namesake() play {
	return play{rules: []rule{{
		"namesake/gone", "makes the Deployment, or the Service, when somebody else's of that name is deleted", vacated,
	}}}
}

func vacated(ctx context.Context, s *stage) error {
	if err := s.occupy(ctx, "shop", nil, nil); err != nil {
		return err
	}
	if err := s.create(ctx, "shop"); err != nil {
		return err
	}
	if err := s.expect(ctx, "Finished", "shop", 0); err != nil {
		return err
	}
	if err := s.finished(ctx, "shop"); err != nil {
		return err
	}
	if err := s.loseChild(ctx, "shop"); err != nil {
		return err
	}
	err := s.await(ctx, s.patience, func() (bool, error) { return s.there(ctx, "shop") })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("somebody else's Deployment shop was deleted, and %s later WebApp shop still has none of its own; %s", s.patience, s.lastWords(6))}
	}
	if err != nil {
		return err
	}
	return vacatedService(ctx, s)
}

// vacatedService does the same with a Service, when the events of the Deployment are over.
func vacatedService(ctx context.Context, s *stage) error {
	const name = "market"
	if _, err := s.occupyService(ctx, name, nil); err != nil {
		return err
	}
	if err := s.createServed(ctx, name); err != nil {
		return err
	}
	if err := s.noMoreEvents(ctx, name); err != nil {
		return err
	}
	if err := s.loseService(ctx, name); err != nil {
		return err
	}
	err := s.await(ctx, s.patience, func() (bool, error) { return s.exists(ctx, services, name) })
	if wait.Interrupted(err) && ctx.Err() == nil {
		return &unmet{found: fmt.Sprintf("somebody else's Service %[1]s was deleted, and %[2]s later WebApp %[1]s still has none of its own; %[3]s", name, s.patience, s.lastWords(6))}
	}
	return err
}

// terminating holds a WebApp that is being deleted by a finalizer, takes its children away,
// and lets the controller look at the WebApp.
func terminating(ctx context.Context, s *stage) (err error) {
	if err := s.create(ctx, "demo", "scenarios.reconform.dev/hold"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.patch(ctx, "demo", `{"metadata":{"finalizers":null}}`)) }()
	if err := first(s.served(ctx, "demo", s.patience)); err != nil {
		return err
	}
	unseen := false // Its changes may be kept from the queue: then only a start shows what is done with it.
	looked := func(act func() error) error {
		if err := s.finished(ctx, "demo"); err != nil {
			return err
		}
		before := count(s.lines(), s.about("Finished", "demo"))
		if err := act(); err != nil || unseen {
			return err
		}
		err := s.expect(ctx, "Finished", "demo", before)
		var not *unmet
		if errors.As(err, &not) {
			unseen, err = true, nil
		}
		return err
	}
	told := len(s.lines())
	if err := looked(func() error { return s.remove(ctx, "demo") }); err != nil {
		return err
	}
	if err := s.loseChild(ctx, "demo"); err != nil {
		return err
	}
	if err := s.loseService(ctx, "demo"); err != nil {
		return err
	}
	err = looked(func() error { return s.patch(ctx, "demo", `{"metadata":{"annotations":{"example.com/note":"look"}}}`) })
	if err != nil {
		return err
	}
	started := ""
	if unseen {
		if _, err := s.disrupt(ctx, v1alpha1.ActionRestart); err != nil {
			return err
		}
		if err := s.ready(ctx); err != nil {
			return err
		}
		started = " it was started again,"
		if err := s.await(ctx, s.patience, func() (bool, error) { return s.there(ctx, "demo") }); err != nil && (!wait.Interrupted(err) || ctx.Err() != nil) {
			return err
		}
	}
	for kind, children := range map[string]schema.GroupVersionResource{"Deployment": deployments, "Service": services} {
		if again, err := s.exists(ctx, children, "demo"); err != nil {
			return err
		} else if again {
			return &unmet{found: fmt.Sprintf("WebApp demo is being deleted (a finalizer holds it),%s and a new %s was made for it", started, kind)}
		}
	}
	if failures := s.failures("demo", told); len(failures) > strayFailures {
		return &unmet{found: fmt.Sprintf("WebApp demo is being deleted (a finalizer holds it), and since then %d lines say that its reconcile has failed; the last one: %s",
			len(failures), failures[len(failures)-1])}
	}
	return nil
}

// strayFailures are how many lines may tell of a failure while a WebApp is being deleted: a
// request that was sent meanwhile may fail.
const strayFailures = 2

// conflict matches the words of the API server for a write of an object that was changed
// meanwhile.
var conflict = regexp.MustCompile(`(?i)has been modified|\bconflict\b|\b409\b`)

// failures returns the lines from one on that tell of a failure of a WebApp, and of no conflict:
// a controller that writes a status meets one at each change that comes too early.
func (s *stage) failures(name string, from int) (told []string) {
	about, lines := s.about("", name), s.lines()
	for _, line := range lines[min(from, len(lines)):] {
		if about.MatchString(line) && failed.MatchString(line) && !conflict.MatchString(line) {
			told = append(told, line)
		}
	}
	return told
}
