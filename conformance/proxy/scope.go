package proxy

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Scope is the part of the cluster that a replica sees. It is never changed, only replaced.
type Scope struct {
	// Namespaces in scope. The first is the scenario's own, and the one in which a replica finds what it asks for
	// across all namespaces while there is no other.
	Namespaces []string
	// LeaseNamespaces are in scope for Leases only: where a controller's Lease is in a fixed namespace.
	LeaseNamespaces []string
}

var leases = schema.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}

// namespaces in scope for a resource.
func (s *Scope) namespaces(resource schema.GroupResource) []string {
	if resource != leases {
		return s.Namespaces
	}
	all := slices.Clone(s.Namespaces)
	for _, namespace := range s.LeaseNamespaces {
		if !slices.Contains(all, namespace) {
			all = append(all, namespace)
		}
	}
	return all
}

func (s *Scope) contains(resource schema.GroupResource, namespace string) bool {
	return slices.Contains(s.namespaces(resource), namespace)
}

// widened is the scope with more namespaces in it, or the same scope where it has them already.
func (s *Scope) widened(namespaces []string) *Scope {
	wider := &Scope{Namespaces: slices.Clone(s.Namespaces), LeaseNamespaces: s.LeaseNamespaces}
	for _, namespace := range namespaces {
		if !slices.Contains(wider.Namespaces, namespace) {
			wider.Namespaces = append(wider.Namespaces, namespace)
		}
	}
	if len(wider.Namespaces) == len(s.Namespaces) {
		return s
	}
	return wider
}
