package profile

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Converts tells whether the implementation serves a conversion webhook.
func (p *Profile) Converts() bool {
	return p.Spec.Launch.Webhook != nil && p.Spec.Launch.Webhook.Conversion != ""
}

// lacksVersions says why there is nothing to convert, or returns "".
func (p *Profile) lacksVersions(crd *apiextensionsv1.CustomResourceDefinition) string {
	if p.Converts() && len(crd.Spec.Versions) < 2 {
		return "there is nothing to convert: CustomResourceDefinition " + crd.Name + " has one version"
	}
	return ""
}

// convertsByWebhook tells whether a CRD as shipped names a conversion webhook.
func convertsByWebhook(crd *apiextensionsv1.CustomResourceDefinition) bool {
	return crd.Spec.Conversion != nil && crd.Spec.Conversion.Strategy == apiextensionsv1.WebhookConverter
}
