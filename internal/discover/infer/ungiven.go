package infer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/internal/profile"
)

// askUngiven names fields of the CRD that may decide about the image, and of which nothing was
// seen because the sample does not give them: a version, or the containers of a Pod template.
func (f *finder) askUngiven() {
	_, mapped := f.fields[RoleImage]
	_, nameless := f.unnamed[RoleImage]
	_, refused := f.refusedField(RoleImage)
	if words := f.ungivenInWords(RoleImage); words != "" && !mapped && !nameless && !refused && len(f.parts(RoleImage)) == 0 {
		f.offer("contract.spec.image", nil, "%s Otherwise, requirements that change the image are skipped", words)
	}
}

// ungivenInWords says which fields of the CRD may have a role, and were not tried. It returns ""
// if there are none.
func (f *finder) ungivenInWords(role Role) string {
	found, which := f.ungiven(role), "it"
	switch {
	case len(found) == 0:
		return ""
	case len(found) > 1:
		which = "one of them"
	}
	return fmt.Sprintf("The CRD has %s, and the sample does not: does %s decide about %s? Give it in the sample, and init tries it.",
		strings.Join(found[:min(len(found), mostUngiven)], " and "), which, whatOf(role))
}

// mostUngiven is how many fields are named at most.
const mostUngiven = 2

// ungiven returns the fields of the CRD that may have a role by their names, and that were
// neither given nor tried: the least deep first.
func (f *finder) ungiven(role Role) []string {
	var found []string
	f.lookUngiven(profile.SchemaAt(f.Version, "spec"), "spec", 0, role, func(path string) {
		tried := func(a Act) bool { return a.Deed == Change && a.Path == path }
		if At(map[string]any{"spec": f.first.To}, path) == nil && !slices.ContainsFunc(f.Acts, tried) {
			found = append(found, path)
		}
	})
	slices.SortStableFunc(found, func(a, b string) int { return cmp.Compare(strings.Count(a, "."), strings.Count(b, ".")) })
	return found
}

// lookUngiven looks through a schema. Of a list, the first element counts: a profile can name
// no other.
func (f *finder) lookUngiven(schema *apiextensionsv1.JSONSchemaProps, path string, depth int, role Role, add func(path string)) {
	if schema == nil || depth > deepest {
		return
	}
	for _, name := range sorted(schema.Properties) {
		property, at := schema.Properties[name], path+"."+name
		isList := property.Type == "array" && property.Items != nil && property.Items.Schema != nil
		switch {
		case !inPath(name), name == "initContainers", name == "ephemeralContainers", name == "volumes":
		case role == RoleEnv && isList && isVariable(*property.Items.Schema),
			role == RoleImage && property.Type == "string" && len(property.Enum) == 0 && namesImage(name):
			add(at)
		case isList && property.Items.Schema.Properties["image"].Type == "string":
			f.lookUngiven(property.Items.Schema, at+"[0]", depth+1, role, add)
		case property.Type == "object":
			f.lookUngiven(&property, at, depth+1, role, add)
		}
	}
}

// namesImage tells whether a field may have an image or a part of one, by its name.
func namesImage(name string) bool {
	name = strings.ToLower(name)
	return slices.Contains([]string{"version", "tag", "repository", "registry"}, name) ||
		strings.Contains(name, "image") && !strings.Contains(name, "pull")
}
