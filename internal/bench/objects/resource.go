package objects

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
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
