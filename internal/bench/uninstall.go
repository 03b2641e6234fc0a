package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/subject"
)

// uninstallTimeout bounds how long namespaces may take to go away.
const uninstallTimeout = 2 * time.Minute

// Namespaces are those that exist of the scenarios' own, by the names of these:
// what a scenario adds beside its own begins with its name and a dash.
func Namespaces(ctx context.Context, client kubernetes.Interface, scenarios []string) ([]string, error) {
	list, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("listing namespaces: %w", err)
	}
	var found []string
	for _, namespace := range list.Items {
		for _, scenario := range append([]string{subject.PreflightNamespace}, scenarios...) {
			if namespace.Name == scenario || strings.HasPrefix(namespace.Name, scenario+"-") {
				found = append(found, namespace.Name)
				break
			}
		}
	}
	return found, nil
}

// Uninstall removes, from a cluster that outlives the bench, what the bench and
// the scenarios made there, but for the namespaces where these are to be kept.
// CRDs stay: objects that are not ours would go with them. Call it after Stop: once no
// subject runs any more, nobody puts finalizers back.
func (b *Bench) Uninstall(ctx context.Context, scenarios []string, keepNamespaces bool) error {
	ctx, cancel := context.WithTimeout(ctx, uninstallTimeout)
	defer cancel()
	client := b.subjects.Clientset
	namespaces, err := Namespaces(ctx, client, scenarios)
	if err != nil {
		return err
	}
	errs := []error{b.release(ctx, namespaces, v1alpha1.GroupVersion.WithResource("subjects"))}
	if !keepNamespaces {
		for _, primary := range b.primaries() {
			errs = append(errs, b.release(ctx, namespaces, primary))
		}
		for _, namespace := range namespaces {
			errs = append(errs, client.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{}))
		}
	}
	ours := metav1.ListOptions{LabelSelector: subject.LabelBench}
	errs = append(errs,
		client.AdmissionregistrationV1().ValidatingWebhookConfigurations().DeleteCollection(ctx, metav1.DeleteOptions{}, ours),
		client.AdmissionregistrationV1().MutatingWebhookConfigurations().DeleteCollection(ctx, metav1.DeleteOptions{}, ours),
		client.RbacV1().ClusterRoleBindings().DeleteCollection(ctx, metav1.DeleteOptions{}, ours),
		client.RbacV1().ClusterRoles().DeleteCollection(ctx, metav1.DeleteOptions{}, ours))
	if !keepNamespaces {
		errs = append(errs, awaitGone(ctx, client, scenarios))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("removing what was installed: %w", err)
	}
	return nil
}

// primaries are the resources that the implementations serve, each once.
func (b *Bench) primaries() []schema.GroupVersionResource {
	var all []schema.GroupVersionResource
	for _, p := range b.options.profiles() {
		resource := p.Spec.Contract.Resource
		primary := schema.GroupVersionResource{Group: resource.Group, Version: resource.Version, Resource: resource.Plural}
		if !slices.Contains(all, primary) {
			all = append(all, primary)
		}
	}
	return all
}

// release deletes the objects of a kind, and does not wait for their controllers, which
// are gone.
func (b *Bench) release(ctx context.Context, namespaces []string, resource schema.GroupVersionResource) error {
	client, err := dynamic.NewForConfig(b.options.Config)
	if err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	var errs []error
	for _, namespace := range namespaces {
		objects := client.Resource(resource).Namespace(namespace)
		list, err := objects.List(ctx, metav1.ListOptions{})
		if err != nil {
			errs = append(errs, fmt.Errorf("listing %s in %s: %w", resource.Resource, namespace, err))
			continue
		}
		for _, object := range list.Items {
			err := takeFinalizers(ctx, objects, object.GetName())
			if err == nil {
				err = objects.Delete(ctx, object.GetName(), metav1.DeleteOptions{})
			}
			if err != nil && !apierrors.IsNotFound(err) {
				errs = append(errs, fmt.Errorf("deleting %s %s/%s: %w", resource.Resource, namespace, object.GetName(), err))
			}
		}
	}
	return errors.Join(errs...)
}

// awaitGone waits until none of the scenarios' namespaces is left.
func awaitGone(ctx context.Context, client kubernetes.Interface, scenarios []string) error {
	var left []string
	err := wait.PollUntilContextCancel(ctx, 200*time.Millisecond, true, func(ctx context.Context) (gone bool, err error) {
		left, err = Namespaces(ctx, client, scenarios)
		return err == nil && len(left) == 0, err
	})
	if err != nil {
		return fmt.Errorf("waiting for namespaces to go (%s): %w", strings.Join(left, ", "), err)
	}
	return nil
}
