package subject

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/invariant"
	"reconform.dev/reconform/internal/record/proxy"
)

// scope returns the part of the cluster that a Subject's replicas see.
func (e *Environment) scope(s *v1alpha1.Subject) proxy.Scope {
	p := e.Profile(s.Namespace)
	contract := invariant.ContractOf(p)
	scope := proxy.Scope{
		Namespaces: served(s), Home: contract.Home(s.Namespace),
		Served: slices.Concat([]schema.GroupResource{contract.Primary}, contract.Children, contract.Inputs),
	}
	scope.ClusterWrites = p.ClusterResources()
	for _, resource := range p.Spec.Install.ClusterWrites {
		scope.ClusterWrites = append(scope.ClusterWrites, schema.ParseGroupResource(resource))
	}
	if lease, ok := p.Lease(s.Namespace); ok && !slices.Contains(scope.Namespaces, lease.Namespace) {
		scope.LeaseNamespaces = []string{lease.Namespace}
	}
	return scope
}
