package infer

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

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
	// 1.5Gi, 50%, v1.2.3, 10.0.0.1, 10.0.0.0/24, 09:30, -1.
	numbered = regexp.MustCompile(`^([-+]?v?(?:\d+[.:/a-zµ]{1,2})*)(\d{1,9})([a-zA-Zµ]{0,2}|%)$`)
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
		if m[3] == "%" && number > 0 || number == 59 || number == 255 || number == 32 && strings.HasSuffix(m[1], "/") {
			number -= 2 // there may be no more: of a whole, of an hour, in a byte, of an address
		}
		width := 1
		if m[2][0] == '0' {
			width = len(m[2]) // it is padded
		}
		return fmt.Sprintf("%s%0*d%s", m[1], width, number+1, m[3])
	}
	switch text {
	case "":
		return "look"
	case "true":
		return "false"
	case "false":
		return "true"
	}
	return text + "-look"
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
