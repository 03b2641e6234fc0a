package profile

import (
	"maps"
	"slices"
	"strings"

	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// checkAround checks what every object has besides its spec, and the labels of namespaces.
func (c *checker) checkAround() {
	const at = "spec.contract."
	if root, ok := lookup(c.document.Object, "spec.contract.root"); ok {
		c.checkTemplates(at+"root", root, ".name")
		if fields, ok := root.(map[string]any); ok {
			for _, key := range []string{"apiVersion", "kind", "metadata", "spec", "status"} {
				if _, given := fields[key]; given {
					c.add(at+"root", "sets %s, which has a place of its own: contract.resource, contract.metadata and contract.base", key)
				}
			}
		}
	}
	c.checkLabels(at+"namespaceLabels", c.Spec.Contract.NamespaceLabels)
	metadata := c.Spec.Contract.Metadata
	if metadata == nil {
		return
	}
	if broken := validation.IsDNS1123Subdomain(metadata.Name); metadata.Name != "" && len(broken) > 0 {
		c.add(at+"metadata.name", "%q names no object: %s", metadata.Name, noName(broken))
	}
	if metadata.Name != "" && !c.Spec.Launch.OnePerNamespace {
		c.add(at+"metadata.name", "with a fixed name there is only one object in a namespace: write launch.onePerNamespace: true")
	}
	for _, values := range []map[string]string{metadata.Labels, metadata.Annotations} {
		for _, key := range slices.Sorted(maps.Keys(values)) {
			if problem := templateProblem(values[key], ".name"); problem != "" {
				c.add(at+"metadata", "%s: %s", key, problem)
			}
		}
	}
	labels := map[string]string{}
	for key, value := range metadata.Labels {
		labels[key] = filledIn(value, "demo")
	}
	c.checkLabels(at+"metadata.labels", labels)
	for _, problem := range apivalidation.ValidateAnnotations(metadata.Annotations, field.NewPath("")) {
		c.add(at+"metadata.annotations", "%v: %s", problem.BadValue, problem.Detail)
	}
}

// checkLabels checks that an object can have these labels.
func (c *checker) checkLabels(at string, labels map[string]string) {
	for _, problem := range metavalidation.ValidateLabels(labels, field.NewPath("")) {
		c.add(at, "%v: %s", problem.BadValue, strings.TrimSpace(problem.Detail))
	}
}
