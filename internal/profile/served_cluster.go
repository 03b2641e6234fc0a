package profile

import (
	"slices"

	apischema "k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// clusterScope is the scope of a resource whose objects have no namespace.
const clusterScope = "Cluster"

// IsCluster says whether the objects of the resource have no namespace.
func (s Served) IsCluster() bool { return s.Resource.Scope == clusterScope }

// keys returns the keys that templates in the sample and in edits may use. An object
// without a namespace may name the namespace in which its children are to be.
func (s Served) keys() []string {
	if s.IsCluster() {
		return []string{".name", ".namespace"}
	}
	return []string{".name"}
}

// data returns the values of these keys for an object with this name. The namespace is not
// known yet: TrialNamespace stands for it.
func (s Served) data(name string) map[string]any {
	data := map[string]any{"name": name}
	if s.IsCluster() {
		data["namespace"] = v1alpha1.TrialNamespace
	}
	return data
}

// ClusterResources returns the resources without a namespace that the controller serves. If
// there is one, a subject sees the objects of all trials. So only one subject may run at a
// time.
func (p *Profile) ClusterResources() []apischema.GroupResource {
	var all []apischema.GroupResource
	for _, served := range p.served {
		if served.IsCluster() {
			all = append(all, apischema.GroupResource{Group: served.Resource.Group, Resource: served.Resource.Plural})
		}
	}
	return all
}

// ServesCluster says whether the controller serves a resource without a namespace.
func (p *Profile) ServesCluster() bool {
	return slices.ContainsFunc(p.served, Served.IsCluster)
}
