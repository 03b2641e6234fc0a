package misspelt

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/conformance/api/crds"
	"reconform.dev/reconform/internal/profile/nearest"
	"reconform.dev/reconform/internal/scenario/catalogue"
)

// Check checks the scenarios of requirements, and the templates that they use, each once.
// The root is what the folder of the scenarios is called in messages. The error joins all
// that it found.
func Check(requirements []catalogue.Requirement, root string) error {
	definitions, err := crds.Served()
	if err != nil {
		return err
	}
	c := checker{root: root, schemas: schemasByKind(definitions), resources: knownResources(definitions), templates: map[string]*template{}}
	for _, r := range requirements {
		c.files = r.Source
		c.scenario(r.Path, r.Raw, r.WholeRun)
	}
	return errors.Join(c.problems...)
}

// schemasByKind returns the schemas of the bench's objects.
func schemasByKind(definitions []*apiextensionsv1.CustomResourceDefinition) map[string]*apiextensionsv1.JSONSchemaProps {
	schemas := map[string]*apiextensionsv1.JSONSchemaProps{}
	for _, definition := range definitions {
		for _, version := range definition.Spec.Versions {
			schemas[definition.Spec.Group+"/"+version.Name+" "+definition.Spec.Names.Kind] = version.Schema.OpenAPIV3Schema
		}
	}
	return schemas
}

// checker checks one file after the other.
type checker struct {
	root      string
	files     fs.FS
	schemas   map[string]*apiextensionsv1.JSONSchemaProps
	resources resources
	templates map[string]*template // by file; nil for one that cannot be read
	problems  []error
}

// template is what a step template has.
type template struct {
	// declared are the names of its own bindings.
	declared []string
	// needs are other variables that it uses, with their dollar. A step that uses it gives
	// them, or the test has them.
	needs []string
	spec  *yaml.Node
}

// names returns the names of the bindings that a step may give.
func (t *template) names() []string {
	names := slices.Clone(t.declared)
	for _, need := range t.needs {
		names = append(names, strings.TrimPrefix(need, "$"))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (c *checker) problem(file string, at *yaml.Node, format string, args ...any) {
	c.problems = append(c.problems, fmt.Errorf("%s:%d: %s", path.Join(c.root, file), at.Line, fmt.Sprintf(format, args...)))
}

// scenario checks one scenario, which has been read before. One that is judged by the requests of
// a whole run need not judge anything itself.
func (c *checker) scenario(file string, raw []byte, wholeRun bool) {
	root := parsed(raw)
	c.ofChainsaw(file, "", root, testType)
	judges, unclear := false, false
	for _, step := range items(get(get(root, "spec"), "steps")) {
		if get(step, "use") == nil && len(items(get(step, "try"))) == 0 {
			c.problem(file, step, "a step has neither operations (try) nor a template (use): it would always pass")
		}
		name := get(step, "name")
		if name == nil {
			c.problem(file, step, "a step has no name: begin one with Given, When or Then")
		} else if catalogue.RoleOf(name.Value) == "" {
			first, _, _ := strings.Cut(name.Value, " ")
			c.problem(file, name, "the name of a step begins with none of Given, When and Then%s: %q",
				nearest.Question(first, []string{"Given", "When", "Then"}), name.Value)
		}
		unclear = unclear || name == nil || catalogue.RoleOf(name.Value) == ""
		judges = judges || name != nil && catalogue.RoleOf(name.Value) == catalogue.Then
		c.operations(file, step)
		c.use(file, get(step, "use"))
	}
	if steps := get(get(root, "spec"), "steps"); steps != nil && !judges && !unclear && !wholeRun {
		c.problem(file, steps, "no step begins with Then, so nothing is judged: it would always pass")
	}
	c.operations(file, get(root, "spec"))
	c.variables(file, root)
	c.made(file, root)
}

// use checks the bindings that a step gives to a template.
func (c *checker) use(file string, use *yaml.Node) {
	name := get(use, "template")
	if name == nil {
		return
	}
	used := path.Join(path.Dir(file), name.Value)
	t, known := c.templates[used]
	if !known {
		t = c.readTemplate(used)
		c.templates[used] = t
	}
	if t == nil {
		c.missing(file, name, used)
		return
	}
	for _, binding := range items(get(get(use, "with"), "bindings")) {
		if given := get(binding, "name"); given != nil && !slices.Contains(t.names(), given.Value) {
			c.problem(file, given, "the template %s has no binding %q%s; it has: %s",
				path.Base(used), given.Value, nearest.Question(given.Value, t.names()), strings.Join(t.names(), ", "))
		}
	}
}

// missing says which template was meant, if there is none of that name. Why another one
// cannot be read is said by the rendering.
func (c *checker) missing(file string, name *yaml.Node, used string) {
	if _, err := fs.Stat(c.files, used); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	var there []string
	others, _ := fs.ReadDir(c.files, path.Dir(used))
	for _, other := range others {
		there = append(there, other.Name())
	}
	c.problem(file, name, "there is no template %s%s", name.Value, nearest.Question(path.Base(used), there))
}

// readTemplate reads a template, and checks it.
func (c *checker) readTemplate(file string) *template {
	raw, err := fs.ReadFile(c.files, file)
	if err != nil {
		return nil
	}
	root := parsed(raw)
	c.ofChainsaw(file, "", root, templateType)
	spec := get(root, "spec")
	t := &template{spec: spec}
	for _, binding := range items(get(spec, "bindings")) {
		if name := get(binding, "name"); name != nil {
			t.declared = append(t.declared, name.Value)
		}
	}
	needs := names{environment: c.unknown(file, "env"), variable: func(_ *yaml.Node, name string, _ []string) {
		if !slices.Contains(t.needs, name) {
			t.needs = append(t.needs, name)
		}
	}}
	needs.operations(spec, needs.bindings(get(spec, "bindings"), dollars(everywhere)))
	c.operations(file, spec)
	return t
}

// operations checks the objects of the operations of a step, of a test or of a template.
func (c *checker) operations(file string, in *yaml.Node) {
	for body := range bodies(in) {
		c.object(file, get(body, "resource"))
	}
}

// bodies returns the bodies of the operations of a step, of a test or of a template: what is
// below their kind.
func bodies(in *yaml.Node) iter.Seq[*yaml.Node] {
	return func(yield func(*yaml.Node) bool) {
		for _, key := range []string{"try", "catch", "finally", "cleanup"} {
			for _, operation := range items(get(in, key)) {
				for i := 1; i < len(operation.Content); i += 2 {
					if !yield(operation.Content[i]) {
						return
					}
				}
			}
		}
	}
}

// object checks an object of the bench, or of the reference.
func (c *checker) object(file string, object *yaml.Node) {
	api, kind := get(object, "apiVersion"), get(object, "kind")
	if api == nil || kind == nil {
		return
	}
	if schema, ok := c.schemas[api.Value+" "+kind.Value]; ok {
		c.fields(file, kind.Value, object, schema)
		c.object(file, get(get(object, "spec"), "template")) // of a Load
		return
	}
	if group, _, _ := strings.Cut(api.Value, "/"); group == "reconform.dev" {
		c.problem(file, kind, "the bench serves no %s %s%s", api.Value, kind.Value, c.meant(api.Value, kind.Value))
	}
	if kind.Value == "WebApp" {
		c.reference(file, object)
	}
	if question := kindQuestion(api.Value, kind.Value); question != "" {
		c.problem(file, kind, "there is no %s %s%s", api.Value, kind.Value, question)
	}
}

// meant asks which kind was meant, or which version of the kind.
func (c *checker) meant(api, kind string) string {
	if kinds := c.kinds(); !slices.Contains(kinds, kind) {
		return nearest.Question(kind, kinds)
	}
	var versions []string
	for name := range c.schemas {
		if version, found := strings.CutSuffix(name, " "+kind); found {
			versions = append(versions, version)
		}
	}
	return nearest.Question(api, versions)
}

func (c *checker) kinds() []string {
	var kinds []string
	for name := range c.schemas {
		_, kind, _ := strings.Cut(name, " ")
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return kinds
}

// reference checks the fields of a WebApp. Some scenarios write fields that do not exist,
// and not by mistake: only what is near a field is one.
func (c *checker) reference(file string, object *yaml.Node) {
	for section, fields := range map[string][]string{
		"spec":   {"image", "replicas", "port", "env", "configMapRef", "deploymentName"},
		"status": {"readyReplicas", "phase", "serviceURL", "conditions", "observedGeneration"},
	} {
		eachField(get(object, section), func(key, _ *yaml.Node) {
			if meant := nearest.Question(key.Value, fields); !slices.Contains(fields, key.Value) && meant != "" {
				c.problem(file, key, "a WebApp has no %s.%s%s", section, key.Value, meant)
			}
		})
	}
}

// fields checks the fields of an object of the bench by its schema.
func (c *checker) fields(file, at string, n *yaml.Node, schema *apiextensionsv1.JSONSchemaProps) {
	if schema == nil || n == nil || schema.XPreserveUnknownFields != nil && *schema.XPreserveUnknownFields {
		return
	}
	if !isExpression(n.Value) && !hasType(n, schema) {
		c.problem(file, n, "%s must be %s, and is %s", at, typeInWords[schema.Type], written(n))
		return
	}
	switch n.Kind {
	case yaml.SequenceNode:
		if schema.Items != nil {
			for _, item := range n.Content {
				c.fields(file, at, item, schema.Items.Schema)
			}
		}
	case yaml.ScalarNode:
		c.value(file, at, n, schema)
		c.resource(file, at, n)
	case yaml.MappingNode:
		eachField(n, func(key, value *yaml.Node) {
			property, ok := schema.Properties[key.Value]
			switch {
			case ok:
				c.fields(file, at+"."+key.Value, value, &property)
			case schema.AdditionalProperties != nil:
				c.fields(file, at+"."+key.Value, value, schema.AdditionalProperties.Schema)
			case len(schema.Properties) > 0:
				var allowed []string
				for name := range schema.Properties {
					allowed = append(allowed, name)
				}
				slices.Sort(allowed)
				c.problem(file, key, "%s has no field %q%s; it has: %s", at, key.Value, nearest.Question(key.Value, allowed), strings.Join(allowed, ", "))
			}
		})
	}
}

// typeInWords says what a value must be, by the type of its schema.
var typeInWords = map[string]string{
	"array": "a list", "object": "a mapping", "boolean": "true or false", "integer": "a whole number", "number": "a number",
	"string": "a text, in quotes if it could be read as something else (a time is written as in 10s)",
}

// hasType tells whether a value has the type that its schema asks for.
func hasType(n *yaml.Node, schema *apiextensionsv1.JSONSchemaProps) bool {
	if n.Kind == yaml.AliasNode || schema.XIntOrString || n.Tag == "!!null" {
		return true
	}
	switch schema.Type {
	case "array":
		return n.Kind == yaml.SequenceNode
	case "object":
		return n.Kind == yaml.MappingNode
	case "boolean":
		return n.Tag == "!!bool"
	case "integer":
		return n.Tag == "!!int"
	case "number":
		return n.Tag == "!!int" || n.Tag == "!!float"
	case "string":
		return n.Kind == yaml.ScalarNode && n.Tag == "!!str" || n.Tag == "!!timestamp"
	}
	return true
}

// written says what a value is.
func written(n *yaml.Node) string {
	switch n.Kind {
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "a mapping"
	}
	return fmt.Sprintf("%q", n.Value)
}

// value checks one of several words.
func (c *checker) value(file, at string, n *yaml.Node, schema *apiextensionsv1.JSONSchemaProps) {
	if len(schema.Enum) == 0 || isExpression(n.Value) {
		return
	}
	var allowed []string
	for _, word := range schema.Enum {
		allowed = append(allowed, strings.Trim(string(word.Raw), `"`))
	}
	if !slices.Contains(allowed, n.Value) {
		c.problem(file, n, "%s cannot be %q%s; it can be: %s", at, n.Value, nearest.Question(n.Value, allowed), strings.Join(allowed, ", "))
	}
}

// eachField calls f for each key of a mapping that is not an expression.
func eachField(n *yaml.Node, f func(key, value *yaml.Node)) {
	if n == nil || n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if !isExpression(n.Content[i].Value) {
			f(n.Content[i], n.Content[i+1])
		}
	}
}

// isExpression tells whether Chainsaw computes a key or a value.
func isExpression(text string) bool {
	return strings.ContainsAny(text, "()~") || strings.Contains(text, "->")
}

// parsed returns the root of a document, or an empty mapping if it is not a mapping.
func parsed(raw []byte) *yaml.Node {
	var document yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(raw)).Decode(&document); err != nil || len(document.Content) == 0 {
		return &yaml.Node{Kind: yaml.MappingNode}
	}
	return document.Content[0]
}

func get(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func items(n *yaml.Node) []*yaml.Node {
	if n == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	return n.Content
}
