package seen

import (
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// inSchema returns the features that the CRD of a profile's resource shows, each with what
// shows it.
func inSchema(p *profile.Profile) map[v1alpha1.Feature]string {
	seen := map[v1alpha1.Feature]string{}
	version := p.Version()
	if version == nil {
		return seen
	}
	for feature, path := range map[v1alpha1.Feature]string{
		v1alpha1.FeatureStatus: "status.readyReplicas", v1alpha1.FeaturePhase: "status.phase",
		v1alpha1.FeatureConditions: profile.ConditionsPath, v1alpha1.FeatureObservedGeneration: "status.observedGeneration",
	} {
		if profile.SchemaAt(version, path) != nil {
			seen[feature] = "the CRD has " + path
		}
	}
	if columns := version.AdditionalPrinterColumns; len(columns) > 0 {
		var names []string
		for _, column := range columns {
			names = append(names, column.Name)
		}
		seen[v1alpha1.FeaturePrinterColumns] = "the CRD has the columns " + strings.Join(names, ", ")
	}
	for _, name := range []string{"replicas", "port"} {
		path := p.SpecFields()[name].Path
		schema := profile.SchemaAt(version, path)
		if schema == nil {
			continue
		}
		if limits := limitsOf(schema); limits != "" {
			seen[v1alpha1.FeatureBounds] = fmt.Sprintf("the CRD has, for %s, %s", path, limits)
		}
		if schema.Default != nil {
			seen[v1alpha1.FeatureDefaults] = fmt.Sprintf("the CRD has, for %s, the default %s", path, schema.Default.Raw)
		}
	}
	return seen
}

// limitsOf describes the limits of a number in words.
func limitsOf(schema *apiextensionsv1.JSONSchemaProps) string {
	var limits []string
	if schema.Minimum != nil {
		limits = append(limits, fmt.Sprintf("the minimum %g", *schema.Minimum))
	}
	if schema.Maximum != nil {
		limits = append(limits, fmt.Sprintf("the maximum %g", *schema.Maximum))
	}
	return strings.Join(limits, " and ")
}
