package bench

import (
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/internal/bench/subject"
	"reconform.dev/reconform/internal/profile"
)

// registerConversion makes the API server ask the bench for other versions of the objects
// that the implementations convert. On a cluster that is not the bench's, the definitions
// stay as they are.
func (b *Bench) registerConversion() error {
	if b.options.Shared || !slices.ContainsFunc(b.options.profiles(), (*profile.Profile).Converts) {
		return nil
	}
	definitions, err := b.definitions()
	if err != nil {
		return err
	}
	return installCRDs(b.options.Config, definitions)
}

// definitions returns all CRDs. Those whose objects are converted name the bench's webhook.
func (b *Bench) definitions() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	definitions, err := CRDs(b.options.profiles()...)
	if err != nil || b.options.Shared || b.webhook == nil {
		return definitions, err
	}
	for _, p := range b.options.profiles() {
		for _, definition := range definitions {
			if p.Converts() && p.Defines(definition) {
				definition.Spec.Conversion = conversionBy(b.webhook.config(subject.ConversionPath))
			}
		}
	}
	return definitions, nil
}

// conversionBy returns a conversion that asks a webhook.
func conversionBy(at admissionregistrationv1.WebhookClientConfig) *apiextensionsv1.CustomResourceConversion {
	return &apiextensionsv1.CustomResourceConversion{
		Strategy: apiextensionsv1.WebhookConverter,
		Webhook: &apiextensionsv1.WebhookConversion{
			ClientConfig:             &apiextensionsv1.WebhookClientConfig{URL: at.URL, CABundle: at.CABundle},
			ConversionReviewVersions: []string{apiextensionsv1.SchemeGroupVersion.Version},
		},
	}
}
