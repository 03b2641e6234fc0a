package profile

import (
	"fmt"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	apischema "k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/strictyaml"
)

// Webhooks returns the configurations of the webhooks that the implementation serves, each
// a ValidatingWebhookConfiguration or a MutatingWebhookConfiguration. Other objects in the
// manifests are ignored, because bundles have other objects, too. It is an error if manifests are
// named but have no such configuration, or if the bench cannot serve one.
func (p *Profile) Webhooks() ([]metav1.Object, error) {
	const field = "spec.install.webhooks"
	objects, err := p.shipped(field, p.Spec.Install.Webhooks)
	if err != nil {
		return nil, err
	}
	var configurations []metav1.Object
	for _, object := range objects {
		if !isWebhookConfiguration(object.Unstructured) {
			continue
		}
		if object.GroupVersionKind().Version != "v1" {
			return nil, strictyaml.Problems{p.document.Problem(object.field, "%s %s is of %s, which Kubernetes has not served since 1.22: give it as %s",
				object.GetKind(), object.GetName(), object.GetAPIVersion(), admissionregistrationv1.SchemeGroupVersion)}
		}
		configuration, err := p.webhookConfiguration(object)
		if err != nil {
			return nil, err
		}
		configurations = append(configurations, configuration)
	}
	if len(p.Spec.Install.Webhooks) > 0 && len(configurations) == 0 {
		return nil, strictyaml.Problems{p.document.Problem(field, "no ValidatingWebhookConfiguration and no MutatingWebhookConfiguration of %s in them; they have: %s",
			admissionregistrationv1.SchemeGroupVersion, orNone(kindsOf(objects)))}
	}
	return configurations, nil
}

func isWebhookConfiguration(object *unstructured.Unstructured) bool {
	kind := object.GroupVersionKind()
	return kind.Group == admissionregistrationv1.GroupName &&
		(kind.Kind == "ValidatingWebhookConfiguration" || kind.Kind == "MutatingWebhookConfiguration")
}

// webhookConfiguration reads a configuration, and checks that the bench can serve it.
func (p *Profile) webhookConfiguration(object shipped) (metav1.Object, error) {
	var configuration metav1.Object = &admissionregistrationv1.ValidatingWebhookConfiguration{}
	if object.GetKind() == "MutatingWebhookConfiguration" {
		configuration = &admissionregistrationv1.MutatingWebhookConfiguration{}
	}
	if err := p.into(object, configuration); err != nil {
		return nil, err
	}
	for _, hook := range Hooks(configuration) {
		problem := hook.problem()
		for _, resource := range p.ClusterResources() {
			if problem == "" && hook.isAbout(resource) {
				problem = fmt.Sprintf("it is about %s, whose objects have no namespace, and the bench finds the replica that is to be asked by the namespace: "+
					"start the controller without this webhook", resource)
			}
		}
		if problem != "" {
			return nil, strictyaml.Problems{p.document.Problem(object.field, "%s %s: webhook %s: %s", object.GetKind(), object.GetName(), hook.Name, problem)}
		}
	}
	return configuration, nil
}

// Hook is one webhook of a configuration, validating or mutating. Its pointers, and Rules,
// point into the configuration.
type Hook struct {
	Name              string
	ClientConfig      *admissionregistrationv1.WebhookClientConfig
	Rules             []admissionregistrationv1.RuleWithOperations
	FailurePolicy     *admissionregistrationv1.FailurePolicyType
	NamespaceSelector **metav1.LabelSelector
	MatchConditions   *[]admissionregistrationv1.MatchCondition
}

// Hooks returns the webhooks of a configuration.
func Hooks(configuration metav1.Object) []Hook {
	var hooks []Hook
	switch c := configuration.(type) {
	case *admissionregistrationv1.ValidatingWebhookConfiguration:
		for i := range c.Webhooks {
			w := &c.Webhooks[i]
			hooks = append(hooks, Hook{w.Name, &w.ClientConfig, w.Rules, w.FailurePolicy, &w.NamespaceSelector, &w.MatchConditions})
		}
	case *admissionregistrationv1.MutatingWebhookConfiguration:
		for i := range c.Webhooks {
			w := &c.Webhooks[i]
			hooks = append(hooks, Hook{w.Name, &w.ClientConfig, w.Rules, w.FailurePolicy, &w.NamespaceSelector, &w.MatchConditions})
		}
	}
	return hooks
}

// problem says why the bench cannot make the API server ask a webhook, or returns "".
func (h *Hook) problem() string {
	if h.ClientConfig.Service == nil {
		return "clientConfig.service is required: the bench sends the API server to the controller, not to a url"
	}
	for i, rule := range h.Rules {
		if rule.Scope != nil && *rule.Scope == admissionregistrationv1.ClusterScope {
			return fmt.Sprintf("rules[%d].scope is Cluster: scenarios share cluster-scoped objects, so that no webhook of one may judge them", i)
		}
	}
	return ""
}

// isAbout says whether a webhook is about objects of the resource.
func (h *Hook) isAbout(resource apischema.GroupResource) bool {
	return slices.ContainsFunc(h.Rules, func(rule admissionregistrationv1.RuleWithOperations) bool {
		return hasAny(rule.APIGroups, resource.Group, "*") && hasAny(rule.Resources, resource.Resource, "*", "*/*")
	})
}

// lacksWebhook says why the feature cannot be claimed: none of the webhooks can stop writes
// to the primary objects. It returns "" if one can.
func (p *Profile) lacksWebhook(configurations []metav1.Object) string {
	resource := p.Spec.Contract.Resource
	for _, configuration := range configurations {
		if slices.ContainsFunc(Hooks(configuration), func(h Hook) bool { return h.guards(resource) }) {
			return ""
		}
	}
	return fmt.Sprintf("%s is claimed, but no webhook in the manifests refuses an UPDATE of %s.%s while it cannot be reached (failurePolicy Fail)",
		v1alpha1.FeatureWebhook, resource.Plural, resource.Group)
}

// guards tells whether no object of the resource can be updated while the webhook does not
// answer.
func (h *Hook) guards(resource v1alpha1.PrimaryResource) bool {
	if h.FailurePolicy != nil && *h.FailurePolicy != admissionregistrationv1.Fail {
		return false
	}
	return slices.ContainsFunc(h.Rules, func(rule admissionregistrationv1.RuleWithOperations) bool {
		return hasAny(rule.Operations, admissionregistrationv1.Update, admissionregistrationv1.OperationAll) &&
			hasAny(rule.APIGroups, resource.Group, "*") && hasAny(rule.Resources, resource.Plural, "*", "*/*")
	})
}

func hasAny[T comparable](list []T, wanted ...T) bool {
	return slices.ContainsFunc(list, func(item T) bool { return slices.Contains(wanted, item) })
}
