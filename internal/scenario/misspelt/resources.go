package misspelt

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"reconform.dev/reconform/internal/profile/nearest"
)

// resources are the names of resources, as plural or plural.group, by their groups.
type resources map[string][]string

// knownResources returns the resources of Kubernetes, of the bench and of the reference.
func knownResources(definitions []*apiextensionsv1.CustomResourceDefinition) resources {
	known := resources{}
	known.add("apps.kubedojo.io", "webapps")
	known.add("apiextensions.k8s.io", "customresourcedefinitions")
	for _, definition := range definitions {
		known.add(definition.Spec.Group, definition.Spec.Names.Plural)
	}
	for kind := range scheme.Scheme.AllKnownTypes() {
		if plural, _ := meta.UnsafeGuessKindToResource(kind); kind.Version != runtime.APIVersionInternal {
			known.add(kind.Group, plural.Resource)
		}
	}
	return known
}

func (r resources) add(group, plural string) {
	r[group] = append(r[group], strings.TrimSuffix(plural+"."+group, "."))
}

// nearGroup is by how many characters a misspelt group may differ from a known one. Other
// groups have definitions of their own, which are not known here.
const nearGroup = 2

// question asks which resource was meant. It returns "" if the name may be right.
func (r resources) question(name string) string {
	plural, group, _ := strings.Cut(name, ".")
	if slices.Contains(r[group], name) {
		return ""
	}
	groups := slices.Sorted(maps.Keys(r))
	if _, known := r[group]; !known {
		near := func(other string) bool { return other != "" && nearest.Distance(group, other) <= nearGroup }
		if groups = slices.DeleteFunc(groups, func(other string) bool { return !near(other) }); len(groups) == 0 {
			return ""
		}
	}
	var named []string
	for _, other := range groups {
		for _, known := range r[other] {
			if p, _, _ := strings.Cut(known, "."); p == plural { // only the group is wrong
				return nearest.Question(known, []string{known})
			}
			named = append(named, known)
		}
	}
	return cmp.Or(nearest.Question(name, named), "; one is named as plural or plural.group: pods, deployments.apps")
}

// resource checks the name of a resource in an object of the bench.
func (c *checker) resource(file, at string, n *yaml.Node) {
	if field := at[strings.LastIndex(at, ".")+1:]; field != "resource" && field != "resources" || isExpression(n.Value) {
		return
	}
	if question := c.resources.question(n.Value); question != "" {
		c.problem(file, n, "%s: there is no resource %s%s", at, n.Value, question)
	}
}

// kindQuestion asks which kind or which version of Kubernetes was meant. It returns "" if both
// are right, or of a definition that is not known here.
func kindQuestion(api, kind string) string {
	given, err := schema.ParseGroupVersion(api)
	if err != nil || isExpression(api) || isExpression(kind) || scheme.Scheme.Recognizes(given.WithKind(kind)) {
		return ""
	}
	if scheme.Scheme.IsVersionRegistered(given) {
		kinds := slices.Sorted(maps.Keys(scheme.Scheme.KnownTypes(given)))
		return cmp.Or(nearest.Question(kind, kinds), "; the kinds of that version are other ones")
	}
	var versions []string
	for _, known := range scheme.Scheme.PrioritizedVersionsAllGroups() {
		near := known.Group == given.Group || known.Group != "" && nearest.Distance(known.Group, given.Group) <= nearGroup
		if near && scheme.Scheme.Recognizes(known.WithKind(kind)) {
			versions = append(versions, known.String())
		}
	}
	return nearest.Question(api, versions)
}
