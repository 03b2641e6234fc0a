package profile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/nearest"
)

// checkExempt refuses exemptions for writes to the objects of the contract, because these
// writes are what a controller is judged by. Reads of these objects can be exempt. Writes
// can be exempt only from the invariants that the exemption names, or if they change nothing
// but the fields that it names.
func (c *checker) checkExempt() {
	contract := c.Spec.Contract
	judged := []string{contract.Resource.Plural + "." + contract.Resource.Group, c.WorkloadResource().String()}
	if contract.Children.Service != nil {
		judged = append(judged, "services")
	}
	for i, exemption := range c.Spec.Claims.Exempt {
		if _, err := time.Parse(time.DateOnly, exemption.Expires); exemption.Expires != "" && err != nil {
			c.add(fmt.Sprintf("spec.claims.exempt[%d].expires", i), "%q is not a valid date: write it as 2027-01-31", exemption.Expires)
		}
		reads := len(exemption.Verbs) > 0 && !slices.ContainsFunc(exemption.Verbs, func(verb string) bool {
			return !slices.Contains([]string{"get", "list", "watch"}, verb)
		})
		for n, resource := range exemption.Resources {
			if problem := noResource(resource, "ingresses.networking.k8s.io, or its plural only if it has no group, such as configmaps"); problem != "" {
				c.add(fmt.Sprintf("spec.claims.exempt[%d].resources[%d]", i, n), "%q %s", resource, problem)
			} else if !strings.Contains(resource, ".") && !slices.Contains(withoutGroup(), resource) {
				c.add(fmt.Sprintf("spec.claims.exempt[%d].resources[%d]", i, n), "%q has no group, and no resource without a group is called so%s. "+
					"That of another resource follows its plural, as in ingresses.networking.k8s.io", resource, nearest.Question(resource, withoutGroup()))
			}
			if !reads && len(exemption.Invariants)+len(exemption.Fields) == 0 && slices.Contains(judged, resource) {
				c.add(fmt.Sprintf("spec.claims.exempt[%d]", i), "%s is of the contract: only get, list and watch can be exempt, "+
					"or writes from the invariants that the exemption names (invariants: [GenerationRaised]), or updates of nothing but the fields "+
					"that it names (fields: [status.lastSeen])", resource)
			}
		}
		for n, field := range exemption.Fields {
			if steps := Steps(field); len(steps) < 2 || steps[0] == "spec" {
				c.add(fmt.Sprintf("spec.claims.exempt[%d].fields[%d]", i, n), "%s: name a field of the status or of the metadata, such as status.lastSeen or "+
					"metadata.annotations. Writes of the spec, and of all of a status, are what a controller is judged by", field)
			}
		}
	}
}

// withoutGroup returns the plurals of the resources of the core group, which has no name.
func withoutGroup() []string {
	return []string{
		"bindings", "componentstatuses", "configmaps", "endpoints", "events", "limitranges", "namespaces", "nodes", "persistentvolumeclaims",
		"persistentvolumes", "pods", "podtemplates", "replicationcontrollers", "resourcequotas", "secrets", "serviceaccounts", "services",
	}
}

// Expire removes and returns the exemptions whose last day is before today. What they
// covered is judged from now on.
func (p *Profile) Expire(today time.Time) []v1alpha1.Exemption {
	var expired, kept []v1alpha1.Exemption
	for _, exemption := range p.Spec.Claims.Exempt {
		if exemption.Expires != "" && exemption.Expires < today.Format(time.DateOnly) {
			expired = append(expired, exemption)
		} else {
			kept = append(kept, exemption)
		}
	}
	p.Spec.Claims.Exempt = kept
	return expired
}
