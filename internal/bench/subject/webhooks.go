package subject

import (
	"context"
	"fmt"
	"maps"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// register makes the API server ask a Subject's webhooks about the objects in the
// namespaces that it serves, and about no others. The requests go to the bench, which asks
// the replicas: see [Controller.ServeHTTP].
func (e *Environment) register(ctx context.Context, s *v1alpha1.Subject) error {
	configurations, err := e.Profile(s.Namespace).Webhooks()
	if err != nil {
		return fmt.Errorf("reading the webhooks: %w", err)
	}
	if err := e.unregister(ctx, s); err != nil {
		return err
	}
	client := e.Clientset.AdmissionregistrationV1()
	for _, configuration := range configurations {
		name := configuration.GetName()
		e.confine(configuration, s)
		switch c := configuration.(type) {
		case *admissionregistrationv1.ValidatingWebhookConfiguration:
			_, err = client.ValidatingWebhookConfigurations().Create(ctx, c, metav1.CreateOptions{})
		case *admissionregistrationv1.MutatingWebhookConfiguration:
			_, err = client.MutatingWebhookConfigurations().Create(ctx, c, metav1.CreateOptions{})
		}
		if err != nil {
			return fmt.Errorf("registering the webhooks of %s: %w", name, err)
		}
	}
	return nil
}

// unregister undoes register.
func (e *Environment) unregister(ctx context.Context, s *v1alpha1.Subject) error {
	if len(e.Profile(s.Namespace).Spec.Install.Webhooks) == 0 {
		return nil
	}
	client, ours := e.Clientset.AdmissionregistrationV1(), metav1.ListOptions{LabelSelector: labels.FormatLabels(ofSubject(s))}
	err := client.ValidatingWebhookConfigurations().DeleteCollection(ctx, metav1.DeleteOptions{}, ours)
	if err == nil {
		err = client.MutatingWebhookConfigurations().DeleteCollection(ctx, metav1.DeleteOptions{}, ours)
	}
	if err != nil {
		return fmt.Errorf("removing webhooks: %w", err)
	}
	return nil
}

// ofSubject returns the labels of the cluster-wide objects of a Subject.
func ofSubject(s *v1alpha1.Subject) map[string]string {
	return map[string]string{v1alpha1.LabelBench: v1alpha1.BenchMade, labelNamespace: s.Namespace}
}

// confine limits a webhook configuration to the namespaces of a Subject. Its webhooks must
// not see objects of other namespaces, cluster-scoped objects, which scenarios share, or
// objects of the bench.
func (e *Environment) confine(configuration metav1.Object, s *v1alpha1.Subject) {
	marked := map[string]string{}
	maps.Copy(marked, configuration.GetLabels())
	maps.Copy(marked, ofSubject(s))
	configuration.SetLabels(marked)
	configuration.SetName(configuration.GetName() + "-" + s.Namespace)
	scope := admissionregistrationv1.NamespacedScope
	for _, hook := range profile.Hooks(configuration) {
		path := WebhookPath + s.Namespace + "/"
		if own := hook.ClientConfig.Service.Path; own != nil {
			path += strings.TrimPrefix(*own, "/")
		}
		*hook.ClientConfig = e.Webhook(path)
		for i := range hook.Rules {
			hook.Rules[i].Scope = &scope
		}
		if *hook.NamespaceSelector == nil {
			*hook.NamespaceSelector = &metav1.LabelSelector{}
		}
		selector := *hook.NamespaceSelector
		selector.MatchExpressions = append(selector.MatchExpressions, metav1.LabelSelectorRequirement{
			Key: corev1.LabelMetadataName, Operator: metav1.LabelSelectorOpIn, Values: served(s),
		})
		*hook.MatchConditions = append(*hook.MatchConditions, admissionregistrationv1.MatchCondition{
			Name: "not-of-the-bench", Expression: fmt.Sprintf("request.resource.group != %q", v1alpha1.GroupVersion.Group),
		})
	}
}
