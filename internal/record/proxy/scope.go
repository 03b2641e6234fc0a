package proxy

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Scope is the part of the cluster that a replica sees. It does not change.
type Scope struct {
	// Namespaces in scope. If there is only one, and the replica asks for all namespaces,
	// it is shown only that one.
	Namespaces []string
	// Home is the namespace that the replica lives in. It is in scope too. If it is empty,
	// the replica lives in one of Namespaces.
	Home string
	// Served are the resources that the replica serves in Namespaces. If it asks for them
	// in all namespaces, it is not shown those in its home, because they do not count.
	Served []schema.GroupResource
	// LeaseNamespaces are in scope for Leases only, for a controller whose Lease is in a
	// fixed namespace.
	LeaseNamespaces []string
	// ClusterWrites are the cluster-scoped resources that the replica may write.
	ClusterWrites []schema.GroupResource
}

var leases = schema.GroupResource{Group: "coordination.k8s.io", Resource: "leases"}

// namespaces returns the namespaces whose objects are shown when the replica asks for all,
// each once.
func (s *Scope) namespaces(resource schema.GroupResource) []string {
	all := slices.Clone(s.Namespaces)
	if s.Home != "" && !slices.Contains(s.Served, resource) {
		all = append(all, s.Home)
	}
	if resource == leases {
		all = append(all, s.LeaseNamespaces...)
	}
	var distinct []string
	for _, namespace := range all {
		if !slices.Contains(distinct, namespace) {
			distinct = append(distinct, namespace)
		}
	}
	return distinct
}

// exists says whether the replica may see a namespace.
func (s *Scope) exists(namespace string) bool {
	return namespace == s.Home || slices.Contains(s.Namespaces, namespace)
}

// contains says whether objects of a resource in a namespace are in scope.
func (s *Scope) contains(resource schema.GroupResource, namespace string) bool {
	return s.exists(namespace) || slices.Contains(s.namespaces(resource), namespace)
}
