package profile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"reconform.dev/reconform/internal/profile/strictyaml"
)

// wrongTypes returns each value that has another type than the schema says: once, at its own
// field. The library of the API server names some of them at no field, and some twice.
func (s *schema) wrongTypes(d *strictyaml.Document) strictyaml.Problems {
	c := typeCheck{document: d}
	c.look("", d.Object, s.structural)
	if metadata, ok := d.Object["metadata"].(map[string]any); ok {
		// The schema of the metadata is the API server's own.
		text := &structuralschema.Structural{Generic: structuralschema.Generic{Type: "string"}}
		texts := &structuralschema.Structural{
			Generic:              structuralschema.Generic{Type: "object"},
			AdditionalProperties: &structuralschema.StructuralOrBool{Structural: text},
		}
		for name, schema := range map[string]*structuralschema.Structural{"name": text, "labels": texts, "annotations": texts} {
			if value, given := metadata[name]; given && value != nil {
				c.look("metadata."+name, value, schema)
			}
		}
	}
	return c.problems
}

type typeCheck struct {
	document *strictyaml.Document
	problems strictyaml.Problems
}

func (c *typeCheck) look(at string, value any, schema *structuralschema.Structural) {
	if !fits(value, schema) {
		c.problems = append(c.problems, c.document.Problem(at, "%s", c.message(at, value, schema)))
		return
	}
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			inside := strings.TrimPrefix(at+"."+key, ".")
			if property, known := schema.Properties[key]; known {
				c.look(inside, v[key], &property)
			} else if more := schema.AdditionalProperties; more != nil && more.Structural != nil {
				c.look(inside, v[key], more.Structural)
			}
		}
	case []any:
		for i := range v {
			if schema.Items != nil {
				c.look(fmt.Sprintf("%s[%d]", at, i), v[i], schema.Items)
			}
		}
	}
}

// message says what is there, and what must be there.
func (c *typeCheck) message(at string, value any, schema *structuralschema.Structural) string {
	if schema.ValueValidation != nil && len(schema.ValueValidation.Enum) > 0 {
		var allowed []string
		quoted := ""
		for _, one := range schema.ValueValidation.Enum {
			word := fmt.Sprint(one.Object)
			allowed = append(allowed, word)
			if strings.EqualFold(word, fmt.Sprint(value)) {
				quoted = fmt.Sprintf(": write %q, with quotes", word)
			}
		}
		return fmt.Sprintf("is %s; allowed: %s%s", strictyaml.Describe(value), strings.Join(allowed, ", "), quoted)
	}
	if name, isTime := strings.CutPrefix(at, timesField); isTime && slices.Contains(durations, name) {
		if number := fmt.Sprint(value); strictyaml.IsScalar(value) && number[0] >= '0' && number[0] <= '9' {
			return fmt.Sprintf("is %s; it must be a time with its unit, such as %ss", strictyaml.Describe(value), number)
		}
		return c.document.WrongType(at, "a time with its unit, such as 30s")
	}
	if schema.XIntOrString {
		return c.document.WrongType(at, "a whole number or a string")
	}
	return c.document.WrongType(at, schema.Type)
}

// fits tells whether a value has the type of the schema.
func fits(value any, schema *structuralschema.Structural) bool {
	if value == nil {
		return schema.Nullable || schema.Type == "" && !schema.XIntOrString
	}
	_, whole := value.(int64)
	_, isText := value.(string)
	if schema.XIntOrString {
		return whole || isText
	}
	ok := true
	switch schema.Type {
	case "object":
		_, ok = value.(map[string]any)
	case "array":
		_, ok = value.([]any)
	case "string":
		return isText
	case "boolean":
		_, ok = value.(bool)
	case "integer":
		number, isFloat := value.(float64)
		return whole || isFloat && number == float64(int64(number))
	case "number":
		_, isFloat := value.(float64)
		return whole || isFloat
	}
	return ok
}

// isOfType tells whether the library of the API server complains of a type.
func isOfType(err *field.Error) bool {
	return err.Type == field.ErrorTypeTypeInvalid || err.Field == "<nil>" || err.Field == "" ||
		err.Type == field.ErrorTypeNotSupported && !isString(err.BadValue)
}

func isString(value any) bool {
	_, ok := value.(string)
	return ok
}

// elsewhere returns the problems that are neither at a field of a wrong type nor inside it:
// nothing in it can be given or missing.
func elsewhere(problems, types strictyaml.Problems) strictyaml.Problems {
	return slices.DeleteFunc(problems, func(problem strictyaml.Problem) bool {
		return slices.ContainsFunc(types, func(wrong strictyaml.Problem) bool { return within(problem.Field, wrong.Field) })
	})
}
