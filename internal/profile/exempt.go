package profile

import (
	"fmt"
	"slices"
)

// checkExempt refuses exemptions for writes to the objects of the contract: a
// controller is judged by these. Only reading them can be exempt.
func (c *checker) checkExempt() {
	contract := c.Spec.Contract
	judged := []string{contract.Resource.Plural + "." + contract.Resource.Group, c.WorkloadResource().String()}
	if contract.Children.Service != nil {
		judged = append(judged, "services")
	}
	for i, exemption := range c.Spec.Claims.Exempt {
		reads := len(exemption.Verbs) > 0 && !slices.ContainsFunc(exemption.Verbs, func(verb string) bool {
			return !slices.Contains([]string{"get", "list", "watch"}, verb)
		})
		for _, resource := range exemption.Resources {
			if !reads && slices.Contains(judged, resource) {
				c.add(fmt.Sprintf("spec.claims.exempt[%d]", i), "%s is of the contract: only get, list and watch can be exempt", resource)
			}
		}
	}
}
