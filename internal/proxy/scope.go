package proxy

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Scope is the part of the cluster that a replica sees. It does not change.
type Scope struct {
	// Namespaces in scope. Where there is only one, the replica is shown that one when
	// it asks for all.
	Namespaces []string
	// LeaseNamespaces are in scope for Leases only: where a controller's Lease is in a
	// fixed namespace.
	LeaseNamespaces []string
	// ClusterWrites are the cluster-scoped resources that it may write.
	ClusterWrites []schema.GroupResource
}

var leases = schema.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}

// namespaces in scope for a resource, each once.
func (s *Scope) namespaces(resource schema.GroupResource) []string {
	all := s.Namespaces
	if resource == leases {
		all = slices.Concat(s.Namespaces, s.LeaseNamespaces)
	}
	var distinct []string
	for _, namespace := range all {
		if !slices.Contains(distinct, namespace) {
			distinct = append(distinct, namespace)
		}
	}
	return distinct
}

func (s *Scope) contains(resource schema.GroupResource, namespace string) bool {
	return slices.Contains(s.namespaces(resource), namespace)
}
