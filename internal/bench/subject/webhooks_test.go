package subject

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestConfine: the API server asks the bench, and about the Subject's namespaces only.
func TestConfine(t *testing.T) {
	h := newHooked(t)
	h.env.Authority = h.authority
	h.env.Webhook = func(path string) admissionregistrationv1.WebhookClientConfig {
		return admissionregistrationv1.WebhookClientConfig{URL: ptr.To("https://127.0.0.1:1234" + path), CABundle: h.authority.Bundle()}
	}
	s := &v1alpha1.Subject{ObjectMeta: metav1.ObjectMeta{Namespace: "va-008", Name: "subject"}}
	s.Spec.Namespaces = []string{"va-008-other"}
	rules := []admissionregistrationv1.RuleWithOperations{{Rule: admissionregistrationv1.Rule{Resources: []string{"*/*"}}}}
	configuration := &admissionregistrationv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "mutating", Labels: map[string]string{"of": "theirs"}},
		Webhooks: []admissionregistrationv1.MutatingWebhook{{
			Name: "m.example.com", Rules: rules,
			ClientConfig:      admissionregistrationv1.WebhookClientConfig{Service: &admissionregistrationv1.ServiceReference{Path: ptr.To("/mutate")}},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"theirs": "too"}},
		}},
	}
	h.env.confine(configuration, s)

	want := &admissionregistrationv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{
			Name:   "mutating-va-008",
			Labels: map[string]string{"of": "theirs", v1alpha1.LabelBench: v1alpha1.BenchMade, "reconform.dev/bench-namespace": "va-008"},
		},
		Webhooks: []admissionregistrationv1.MutatingWebhook{{
			Name: "m.example.com",
			ClientConfig: admissionregistrationv1.WebhookClientConfig{
				URL: ptr.To("https://127.0.0.1:1234/webhooks/va-008/mutate"), CABundle: h.authority.Bundle(),
			},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Rule: admissionregistrationv1.Rule{Resources: []string{"*/*"}, Scope: ptr.To(admissionregistrationv1.NamespacedScope)},
			}},
			NamespaceSelector: &metav1.LabelSelector{
				MatchLabels: map[string]string{"theirs": "too"},
				MatchExpressions: []metav1.LabelSelectorRequirement{{
					Key: "kubernetes.io/metadata.name", Operator: metav1.LabelSelectorOpIn, Values: []string{"va-008", "va-008-other"},
				}},
			},
			MatchConditions: []admissionregistrationv1.MatchCondition{{
				Name: "not-of-the-bench", Expression: `request.resource.group != "reconform.dev"`,
			}},
		}},
	}
	if diff := cmp.Diff(want, configuration); diff != "" {
		t.Errorf("configuration (-want +got):\n%s", diff)
	}
}
