package infer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// statusTypes are the types that fields of a status can have.
var statusTypes = map[string]string{
	"readyReplicas": "integer", "phase": "string", "serviceURL": "string", "conditions": "array", "observedGeneration": "integer",
}

// statusFeatures are the features that a profile claims if it maps a field of the status. Without
// the claim, what is about the field is not judged.
var statusFeatures = map[string]v1alpha1.Feature{
	"phase": v1alpha1.FeaturePhase, "conditions": v1alpha1.FeatureConditions, "observedGeneration": v1alpha1.FeatureObservedGeneration,
}

// askStatus asks which field of the status is one that nothing was seen to be. It asks for
// what the CRD has: if nothing there can be the field, it asks nothing. If the CRD does not
// say what the status has, everything is possible.
func (f *finder) askStatus(name string) {
	path := "contract.status." + name
	question := "nothing in the status was seen to be this: %s. Is something?"
	if f.neverTold() {
		question = "the controller never wrote a status: must it, and which field is this: %s?"
	}
	if feature := statusFeatures[name]; feature != "" {
		question += fmt.Sprintf(" Then claims.features needs %s, too.", feature)
	}
	status := profile.SchemaAt(f.Version, "status")
	if status == nil || !isClosed(status) {
		f.ask(path, question, name)
		return
	}
	copies := specCopies(f.moments())
	fields := slices.DeleteFunc(statusFields(status, "status", 0, statusTypes[name]), func(field string) bool {
		s := f.status
		return slices.Contains([]string{s.Ready, s.Phase, s.URL, s.Conditions, s.Generation}, field) || inAny(copies, field) || !mayBe(name, field)
	})
	if len(fields) == 0 {
		return
	}
	f.offer(path, []string{fmt.Sprintf("%s: {path: %s}", name, fields[0])}, question+" The CRD has %s", name, strings.Join(fields, ", "))
}

// neverTold tells whether the objects had no status at any time.
func (f *finder) neverTold() bool {
	moments := f.moments()
	return len(moments) > 0 && !slices.ContainsFunc(moments, func(m moment) bool {
		return len(Leaves(m.primary.Object["status"], "status")) > 0
	})
}

// isClosed tells whether a schema has all fields of an object.
func isClosed(schema *apiextensionsv1.JSONSchemaProps) bool {
	open := schema.XPreserveUnknownFields != nil && *schema.XPreserveUnknownFields
	return !open && schema.AdditionalProperties == nil && len(schema.Properties) > 0
}

// statusFields returns the fields of a type below a place in the status, the least deep
// first.
func statusFields(schema *apiextensionsv1.JSONSchemaProps, at string, depth int, kind string) []string {
	const deepest = 2
	var found []string
	for name, property := range schema.Properties {
		path := at + "." + name
		switch {
		case !profile.CanName(path):
		case property.Type == kind:
			found = append(found, path)
		case property.Type == "object" && depth < deepest:
			found = append(found, statusFields(&property, path, depth+1, kind)...)
		}
	}
	slices.SortFunc(found, func(a, b string) int {
		return cmp.Or(strings.Count(a, ".")-strings.Count(b, "."), strings.Compare(a, b))
	})
	return found
}

// mayBe tells by its name whether a field of the right type may be this field of a WebApp.
func mayBe(name, field string) bool {
	field = strings.ToLower(field[strings.LastIndex(field, ".")+1:])
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(field, word) })
	}
	isURL := has("url", "uri", "address", "endpoint", "host", "link")
	switch name {
	case "observedGeneration":
		return has("generation")
	case "readyReplicas":
		return !has("generation")
	case "serviceURL":
		return isURL
	case "phase":
		return !isURL
	case "conditions":
		return has("condition")
	}
	return true
}
