package infer

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/internal/profile"
)

// FieldChange is a change of a field that may show what the field decides about.
type FieldChange struct {
	Path string
	To   any
}

// Values that are tried: an image with a tag, and a port for an object that has none.
const (
	otherImage = "registry.example/look:v2"
	otherPort  = 8123
)

// FieldChanges returns the changes to try on an object: of each field that the sample
// gives, and of other fields of the CRD whose names or types look promising.
func FieldChanges(version *apiextensionsv1.CustomResourceDefinitionVersion, spec map[string]any, configMaps []string) []FieldChange {
	var changes []FieldChange
	used := numbersIn(spec, profile.SchemaAt(version, "spec")) // and those that are tried: the effect must show which field it was
	taken := map[string]bool{}                                 // paths below which everything is known
	for _, path := range environments(profile.SchemaAt(version, "spec"), "spec", 0, map[string]any{"spec": spec}) {
		taken[path.Path] = true
		changes = append(changes, FieldChange{path.Path, withProbe(At(map[string]any{"spec": spec}, path.Path), path.To)})
	}
	below := func(path string) bool {
		for known := range taken {
			if path == known || strings.HasPrefix(path, known+".") || strings.HasPrefix(path, known+"[") {
				return true
			}
		}
		return false
	}
	for _, leaf := range Leaves(spec, "spec") {
		if below(leaf.Path) {
			continue
		}
		taken[leaf.Path] = true
		if text, ok := leaf.Value.(string); ok {
			for _, schedule := range schedules(text) {
				changes = append(changes, FieldChange{leaf.Path, schedule})
			}
			if len(schedules(text)) > 0 {
				continue
			}
		}
		if to := another(profile.SchemaAt(version, leaf.Path), leaf, configMaps, used); to != nil {
			changes = append(changes, FieldChange{leaf.Path, to})
		}
	}
	return append(changes, promising(profile.SchemaAt(version, "spec"), "spec", 0, below, used)...)
}

// LikelyFirst puts the changes of those fields first whose name says that the contract may
// need them, and then those whose path says so. A slow controller follows only the first ones
// in time.
func LikelyFirst(changes []FieldChange) {
	likely := func(text string) bool {
		return slices.ContainsFunc([]string{"image", "replicas", "size", "port", "env", "version", "tag"}, func(hint string) bool { return strings.Contains(text, hint) })
	}
	rank := func(change FieldChange) int {
		path := strings.ToLower(change.Path)
		switch {
		case likely(path[strings.LastIndex(path, ".")+1:]):
			return 0
		case likely(path):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(changes, func(a, b FieldChange) int { return rank(a) - rank(b) })
}

// withProbe adds a variable to the present ones. The form is a map or a list.
func withProbe(present, form any) any {
	switch form := form.(type) {
	case map[string]any:
		probed := map[string]any{probeVariable: "seen"}
		existing, _ := present.(map[string]any)
		for key, value := range existing {
			probed[key] = value
		}
		return probed
	case []any:
		existing, _ := present.([]any)
		return append(slices.Clone(existing), form...)
	}
	return nil
}

// deepest is how many levels below the spec fields are looked for.
const deepest = 6

// environments returns the fields that may hold variables, each with a value that shows its
// form: a map or a list. A map is one if its name or its keys say so. If the object has a
// list with an element, the fields of the first element are looked at, too: the first
// container of a Pod template, for example.
func environments(schema *apiextensionsv1.JSONSchemaProps, path string, depth int, object map[string]any) []FieldChange {
	if schema == nil || depth > deepest {
		return nil
	}
	var found []FieldChange
	for _, name := range sorted(schema.Properties) {
		property := schema.Properties[name]
		at := path + "." + name
		switch {
		case !inPath(name):
		case property.Type == "object" && property.AdditionalProperties != nil && property.AdditionalProperties.Schema != nil &&
			property.AdditionalProperties.Schema.Type == "string" &&
			(strings.Contains(strings.ToLower(name), "env") || hasNamesOfVariables(At(object, at))):
			found = append(found, FieldChange{at, map[string]any{}})
		case property.Type == "array" && property.Items != nil && property.Items.Schema != nil && isVariable(*property.Items.Schema):
			found = append(found, FieldChange{at, []any{map[string]any{"name": probeVariable, "value": "seen"}}})
		case property.Type == "object":
			found = append(found, environments(&property, at, depth+1, object)...)
		case property.Type == "array" && property.Items != nil && property.Items.Schema != nil && At(object, at+"[0]") != nil:
			found = append(found, environments(property.Items.Schema, at+"[0]", depth+1, object)...)
		}
	}
	return found
}

// hasNamesOfVariables tells whether a value is a map whose keys are written as names of
// variables usually are: LOG_LEVEL.
func hasNamesOfVariables(value any) bool {
	entries, _ := value.(map[string]any)
	for key := range entries {
		if !variableName.MatchString(key) {
			return false
		}
	}
	return len(entries) > 0
}

var variableName = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)

func isVariable(schema apiextensionsv1.JSONSchemaProps) bool {
	return schema.Properties["name"].Type == "string" && schema.Properties["value"].Type == "string" &&
		!slices.ContainsFunc(schema.Required, func(name string) bool { return name != "name" && name != "value" })
}

// promising returns fields of the CRD that are not known yet and whose names look
// promising.
func promising(
	schema *apiextensionsv1.JSONSchemaProps, path string, depth int, known func(path string) bool, used map[int64]bool,
) []FieldChange {
	if schema == nil || depth > deepest {
		return nil
	}
	var found []FieldChange
	for _, name := range sorted(schema.Properties) {
		property, at, low := schema.Properties[name], path+"."+name, strings.ToLower(name)
		switch {
		case !inPath(name), known(at):
		case property.Type == "object" && strings.Contains(low, "configmap") && property.Properties["name"].Type == "string":
			found = append(found, FieldChange{at + ".name", ProbeConfigMap})
		case property.Type == "string" && slices.Contains([]string{"configmap", "configmapname", "configmapref"}, low):
			found = append(found, FieldChange{at, ProbeConfigMap})
		case property.Type == "object":
			found = append(found, promising(&property, at, depth+1, known, used)...)
		case property.Type == "array" && property.Items != nil && property.Items.Schema != nil && strings.Contains(low, "port"):
			found = append(found, promising(property.Items.Schema, at+"[0]", depth+1, known, used)...)
		case property.Type == "string" && strings.Contains(low, "image") && !strings.Contains(low, "pull"):
			found = append(found, FieldChange{at, otherImage})
		case property.Type == "integer" && isCount(low):
			found = append(found, FieldChange{at, anotherNumber(&property, 2, low, used)})
		case property.Type == "integer" && strings.Contains(low, "port") && !isOfNode(name):
			found = append(found, FieldChange{at, anotherNumber(&property, otherPort-1, low, used)})
		}
	}
	return slices.DeleteFunc(found, func(t FieldChange) bool { return t.To == nil || known(t.Path) })
}

// isOfNode tells whether a field of this name is a port of a Node, which no container and no
// Service listens on: nodePort, hostPort, healthCheckNodePort.
func isOfNode(name string) bool {
	name = strings.ToLower(name)
	return strings.HasSuffix(name, "nodeport") || strings.HasSuffix(name, "hostport")
}

func isCount(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"replica", "size", "count", "instances", "scale"}, func(word string) bool { return strings.Contains(name, word) })
}

// Toggles returns the changes of fields that are true or false.
func Toggles(spec map[string]any) (changes []FieldChange) {
	for _, leaf := range Leaves(spec, "spec") {
		if value, ok := leaf.Value.(bool); ok {
			changes = append(changes, FieldChange{leaf.Path, !value})
		}
	}
	return changes
}

// mostChosen limits how many values of one field are tried that the object leaves out.
const mostChosen = 2

// Choices returns changes of fields that the object leaves out, and whose values the schema
// enumerates: to values that are not the default. Without a default in the schema, one of the
// values may be what the controller does anyway, so two are tried.
func Choices(version *apiextensionsv1.CustomResourceDefinitionVersion, spec map[string]any) []FieldChange {
	return choices(profile.SchemaAt(version, "spec"), "spec", 0, spec)
}

func choices(schema *apiextensionsv1.JSONSchemaProps, path string, depth int, given map[string]any) []FieldChange {
	if schema == nil || depth > deepest {
		return nil
	}
	var found []FieldChange
	for _, name := range sorted(schema.Properties) {
		property, at := schema.Properties[name], path+"."+name
		value, set := given[name]
		switch {
		case !inPath(name):
		case property.Type == "object":
			below, _ := value.(map[string]any)
			if !set && slices.ContainsFunc(property.Required, func(needed string) bool { return len(property.Properties[needed].Enum) == 0 }) {
				continue // it needs values that only the user knows
			}
			found = append(found, choices(&property, at, depth+1, below)...)
		case property.Type == "string" && !set:
			few := mostChosen
			if property.Default != nil {
				few = 1
			}
			for _, allowed := range property.Enum {
				var text string
				isDefault := property.Default != nil && string(property.Default.Raw) == string(allowed.Raw)
				if few > 0 && !isDefault && json.Unmarshal(allowed.Raw, &text) == nil && text != "" {
					found = append(found, FieldChange{at, text})
					few--
				}
			}
		}
	}
	return found
}
