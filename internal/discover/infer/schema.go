package infer

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
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

// LikelyFirst puts the changes of those fields first whose path says that the contract may
// need them. A slow controller follows only the first ones in time.
func LikelyFirst(changes []FieldChange) {
	rank := func(change FieldChange) int {
		path := strings.ToLower(change.Path)
		for _, hint := range []string{"image", "replicas", "size", "port", "env", "version", "tag"} {
			if strings.Contains(path, hint) {
				return 0
			}
		}
		return 1
	}
	slices.SortStableFunc(changes, func(a, b FieldChange) int { return rank(a) - rank(b) })
}

// numbersIn returns the numbers in a spec, and the defaults that the CRD puts in for fields
// that are left out.
func numbersIn(spec map[string]any, schema *apiextensionsv1.JSONSchemaProps) map[int64]bool {
	found := map[int64]bool{}
	for _, leaf := range Leaves(spec, "spec") {
		if number, ok := whole(leaf.Value); ok {
			found[number] = true
		}
	}
	var defaults func(schema *apiextensionsv1.JSONSchemaProps, depth int)
	defaults = func(schema *apiextensionsv1.JSONSchemaProps, depth int) {
		if schema == nil || depth > deepest {
			return
		}
		var number int64
		if schema.Default != nil && json.Unmarshal(schema.Default.Raw, &number) == nil {
			found[number] = true
		}
		for _, property := range schema.Properties {
			defaults(&property, depth+1)
		}
		if schema.Items != nil {
			defaults(schema.Items.Schema, depth+1)
		}
	}
	defaults(schema, 0)
	return found
}

// withProbe adds a variable to the present ones. The form is a map or a list.
func withProbe(present, form any) any {
	switch form := form.(type) {
	case map[string]any:
		probed := map[string]any{ProbeVariable: "seen"}
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

// environments returns the fields that may hold variables, each with a value that shows
// its form: a map or a list. A map shows it by its name, or by the keys that it has. If the object has a list with an element, the fields of
// the first element are looked at, too: the first container of a Pod template, for
// example.
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
			found = append(found, FieldChange{at, []any{map[string]any{"name": ProbeVariable, "value": "seen"}}})
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

// another returns another value for a field, or nil if it knows none. A number is not one
// of those that are used.
func another(schema *apiextensionsv1.JSONSchemaProps, leaf Leaf, configMaps []string, used map[int64]bool) any {
	above, last := parent(leaf.Path)
	_, holder := parent(above)
	switch value := leaf.Value.(type) {
	case int64, float64:
		number, ok := whole(value)
		if fraction, isFraction := value.(float64); isFraction && !ok {
			return fraction / 2
		} else if !ok {
			return nil
		}
		return anotherNumber(schema, number, last, used)
	case string:
		switch {
		case slices.Contains(configMaps, value) || strings.Contains(strings.ToLower(holder+last), "configmap"):
			return ProbeConfigMap
		case schema != nil && len(schema.Enum) > 0:
			for _, allowed := range schema.Enum {
				var text string
				if json.Unmarshal(allowed.Raw, &text) == nil && text != value {
					return text
				}
			}
			return nil
		case strings.Contains(strings.ToLower(last), "image") || strings.Contains(value, "/") && strings.Contains(value, ":") && !strings.Contains(value, "://"):
			return otherImage
		default:
			return anotherText(value)
		}
	}
	return nil
}

var (
	// numbered matches a text that ends with a number, and perhaps a unit: 30s, 1h30m, 100m,
	// 1.5Gi, 50%, v1.2.3, 10.0.0.1.
	numbered = regexp.MustCompile(`^(v?(?:\d+[.a-zµ]{1,2})*)(\d{1,9})([a-zA-Zµ]{0,2}|%)$`)
	// dated matches a text that begins with a date.
	dated = regexp.MustCompile(`^(\d{4})(-\d\d-\d\d(?:[T ].*)?)$`)
)

// anotherText returns another text of the same form, because a controller may refuse one of
// another form, and then its reaction shows nothing.
func anotherText(text string) string {
	if m := dated.FindStringSubmatch(text); m != nil {
		year, _ := strconv.Atoi(m[1]) // it has digits only
		return fmt.Sprintf("%04d%s", year+4, m[2])
	}
	if m := numbered.FindStringSubmatch(text); m != nil {
		number, _ := strconv.Atoi(m[2])
		if m[3] == "%" && number > 0 {
			number -= 2 // there may be no more than 100
		}
		width := 1
		if m[2][0] == '0' {
			width = len(m[2]) // it is padded
		}
		return fmt.Sprintf("%s%0*d%s", m[1], width, number+1, m[3])
	}
	switch text {
	case "true":
		return "false"
	case "false":
		return "true"
	}
	return text + "-look"
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

// Unnamable returns the fields that no path can name, because of a dot or a bracket in a key.
func Unnamable(value any, path string) (found []string) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if !inPath(key) {
				found = append(found, fmt.Sprintf("%s[%q]", path, key))
				continue
			}
			found = append(found, Unnamable(v[key], path+"."+key)...)
		}
	case []any:
		for i := range v {
			found = append(found, Unnamable(v[i], fmt.Sprintf("%s[%d]", path, i))...)
		}
	}
	return found
}

// anotherNumber returns the next number that no other field has. If the schema leaves none,
// it returns one that another field has.
func anotherNumber(schema *apiextensionsv1.JSONSchemaProps, number int64, name string, used map[int64]bool) any {
	if schema != nil && len(schema.Enum) > 0 {
		return anotherAllowed(schema, number, used)
	}
	if schema != nil && schema.MultipleOf != nil && *schema.MultipleOf > 1 {
		step := int64(*schema.MultipleOf)
		next := free(number+step, step, used)
		used[next] = true
		return next
	}
	next := number + 1
	if number < 50 && isCount(name) && number != 3 {
		next = 3
	}
	for _, candidate := range []int64{free(next, 1, used), free(number-1, -1, used), next, number - 1} {
		if within := schema == nil || (schema.Maximum == nil || float64(candidate) <= *schema.Maximum) &&
			(schema.Minimum == nil || float64(candidate) >= *schema.Minimum); within && candidate >= 0 {
			used[candidate] = true
			return candidate
		}
	}
	return nil
}

// anotherAllowed returns one of the numbers that the schema allows, if possible one that no
// other field has.
func anotherAllowed(schema *apiextensionsv1.JSONSchemaProps, number int64, used map[int64]bool) any {
	var found any
	for _, allowed := range schema.Enum {
		var other int64
		if json.Unmarshal(allowed.Raw, &other) != nil || other == number || other <= 0 {
			continue
		}
		if !used[other] {
			used[other] = true
			return other
		}
		if found == nil {
			found = other
		}
	}
	return found
}

// free returns the first unused number, counting up from a number in steps.
func free(number, step int64, used map[int64]bool) int64 {
	for used[number] {
		number += step
	}
	return number
}

func isCount(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"replica", "size", "count", "instances", "scale"}, func(word string) bool { return strings.Contains(name, word) })
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
		case property.Type == "integer" && strings.Contains(low, "port"):
			found = append(found, FieldChange{at, anotherNumber(&property, otherPort-1, low, used)})
		}
	}
	return slices.DeleteFunc(found, func(t FieldChange) bool { return t.To == nil || known(t.Path) })
}

// Required returns only those parts of a spec that the CRD requires.
func Required(schema *apiextensionsv1.JSONSchemaProps, spec map[string]any) map[string]any {
	needed := map[string]any{}
	if schema == nil {
		return needed
	}
	for _, name := range schema.Required {
		value, given := spec[name]
		if !given {
			continue
		}
		property := schema.Properties[name]
		if below, ok := value.(map[string]any); ok && len(property.Properties) > 0 {
			value = Required(&property, below)
		}
		needed[name] = value
	}
	return needed
}

// fromSchema returns the default and the bounds of a field of the CRD.
func fromSchema(version *apiextensionsv1.CustomResourceDefinitionVersion, field *v1alpha1.Field) (byDefault *int32, bounds *v1alpha1.Range) {
	if field == nil || field.Path == "" {
		return nil, nil
	}
	schema := profile.SchemaAt(version, field.Path)
	if schema == nil {
		return nil, nil
	}
	if schema.Default != nil {
		var value int32
		if json.Unmarshal(schema.Default.Raw, &value) == nil {
			byDefault = &value
		}
	}
	return byDefault, boundsOf(schema)
}

// boundsOf returns the least and the greatest whole number that a schema accepts, or nil if it
// has no such bounds, or a profile cannot name them.
func boundsOf(schema *apiextensionsv1.JSONSchemaProps) *v1alpha1.Range {
	if schema.Minimum == nil || schema.Maximum == nil {
		return nil
	}
	least, most := math.Ceil(*schema.Minimum), math.Floor(*schema.Maximum)
	if schema.ExclusiveMinimum && least == *schema.Minimum {
		least++
	}
	if schema.ExclusiveMaximum && most == *schema.Maximum {
		most--
	}
	if least < math.MinInt32 || most > math.MaxInt32 || least > most {
		return nil
	}
	return &v1alpha1.Range{Minimum: int32(least), Maximum: int32(most)}
}

// undescribed returns a field of the schema that has no description, or "" if all have one.
func undescribed(schema *apiextensionsv1.JSONSchemaProps, path string) string {
	if schema == nil {
		return "all"
	}
	for _, name := range sorted(schema.Properties) {
		property := schema.Properties[name]
		at := strings.TrimPrefix(fmt.Sprintf("%s.%s", path, name), ".")
		if property.Description == "" && at != "metadata" {
			return at
		}
		if below := undescribed(&property, at); len(property.Properties) > 0 && below != "" {
			return below
		}
		if property.Items != nil && property.Items.Schema != nil && len(property.Items.Schema.Properties) > 0 {
			if below := undescribed(property.Items.Schema, at+"[]"); below != "" {
				return below
			}
		}
		if of := property.AdditionalProperties; of != nil && of.Schema != nil && len(of.Schema.Properties) > 0 {
			if below := undescribed(of.Schema, at+".*"); below != "" {
				return below
			}
		}
	}
	return ""
}
