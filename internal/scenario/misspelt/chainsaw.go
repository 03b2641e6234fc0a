package misspelt

import (
	"cmp"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	chainsaw "github.com/kyverno/chainsaw/pkg/apis/v1alpha1"
	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/internal/profile/nearest"
)

// The types of the two sorts of files.
var (
	testType     = reflect.TypeFor[chainsaw.Test]()
	templateType = reflect.TypeFor[chainsaw.StepTemplate]()
)

var (
	unmarshalerType = reflect.TypeFor[json.Unmarshaler]()
	durationType    = reflect.TypeFor[metav1.Duration]()
)

// ofChainsaw checks the fields that Chainsaw itself reads, by the type of what is at a path. With
// an unknown field Chainsaw starts no test at all, and a step without its operations would pass.
func (c *checker) ofChainsaw(file, at string, n *yaml.Node, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case n == nil || n.Tag == "!!null":
	case t == durationType:
		if _, err := time.ParseDuration(n.Value); err != nil {
			c.problem(file, n, "%s must be a time such as 10s, and is %s", at, written(n))
		}
	case reflect.PointerTo(t).Implements(unmarshalerType): // what an operator writes, or an expression
	case t.Kind() == reflect.Slice && n.Kind != yaml.SequenceNode:
		c.problem(file, n, "%s must be a list, and is %s", at, written(n))
	case t.Kind() == reflect.Slice:
		for _, item := range n.Content {
			c.ofChainsaw(file, at, item, t.Elem())
		}
	case t.Kind() == reflect.Struct && n.Kind != yaml.MappingNode:
		c.problem(file, n, "%s must be a mapping, and is %s", at, written(n))
	case t.Kind() == reflect.Struct:
		known := map[string]reflect.Type{}
		fieldsOf(t, known)
		names := slices.Sorted(maps.Keys(known))
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			below := strings.TrimPrefix(at+"."+key.Value, ".")
			if known[key.Value] == nil {
				c.problem(file, key, "%s has no field %q%s; it has: %s", cmp.Or(at, "the file"), key.Value, nearest.Question(key.Value, names), strings.Join(names, ", "))
				continue
			}
			c.ofChainsaw(file, below, value, known[key.Value])
		}
	}
}

// fieldsOf adds the fields of a type, with those of the types that it embeds.
func fieldsOf(t reflect.Type, to map[string]reflect.Type) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "" && field.Anonymous:
			fieldsOf(field.Type, to)
		case name != "" && name != "-":
			to[name] = field.Type
		}
	}
}
