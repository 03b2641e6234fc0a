package objects

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// FindResource finds a resource by plural or plural.group. If several groups have the
// plural, as with events, a name without a group means the one of the core group.
func FindResource(mapper meta.RESTMapper, name string) (*meta.RESTMapping, error) {
	wanted := schema.ParseGroupResource(name)
	kinds, err := mapper.KindsFor(wanted.WithVersion(""))
	if err != nil {
		return nil, fmt.Errorf("finding resource %q: %w (give plural or plural.group)", name, err)
	}
	exact := slices.IndexFunc(kinds, func(kind schema.GroupVersionKind) bool { return kind.Group == wanted.Group })
	mapping, err := mapper.RESTMapping(kinds[max(0, exact)].GroupKind())
	if err != nil {
		return nil, fmt.Errorf("finding the kind of resource %q: %w", name, err)
	}
	return mapping, nil
}

// InNamespace returns the client of a resource, for an object of the bench that acts in its
// own namespace. A resource without a namespace is an error, unless the controller there
// serves one: it is alone in the cluster then.
func InNamespace(client dynamic.Interface, mapping *meta.RESTMapping, namespace string, servesCluster bool) (dynamic.ResourceInterface, error) {
	cluster, err := IsCluster(mapping, servesCluster)
	switch {
	case err != nil:
		return nil, err
	case cluster:
		return client.Resource(mapping.Resource), nil
	}
	return client.Resource(mapping.Resource).Namespace(namespace), nil
}

// IsCluster says whether the objects of a resource have no namespace. Like InNamespace it
// returns an error for one that the bench must not touch.
func IsCluster(mapping *meta.RESTMapping, servesCluster bool) (bool, error) {
	cluster := mapping.Scope.Name() != meta.RESTScopeNameNamespace
	if cluster && !servesCluster {
		return true, fmt.Errorf("%s is not namespaced: an object of the bench acts in its own namespace, unless the profile serves a resource without one",
			mapping.Resource.GroupResource())
	}
	return cluster, nil
}
