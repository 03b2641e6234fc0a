package render

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"
)

// FileName is the name of a scenario's file in its folder. Chainsaw expects it.
const FileName = "chainsaw-test.yaml"

// annotationWhereMapped names fields that a scenario changes only if the implementation
// can change them.
const annotationWhereMapped = "reconform.dev/where-mapped"

// Scenario is a Chainsaw test against the reference contract. Its step templates are
// inlined.
type Scenario struct {
	// File it was read from.
	File string
	// Name is its metadata.name.
	Name string
	// Labels are its metadata.labels.
	Labels map[string]string
	// whereMapped are the fields of a primary that the scenario changes only if they
	// can be changed; it changes others, too.
	whereMapped map[string]bool

	root *yaml.Node
	// origin is the file of each operation that came from a template.
	origin map[*yaml.Node]string
}

// LoadFS reads a scenario and its step templates from a file system, such as an embedded
// one.
func LoadFS(fsys fs.FS, file string) (*Scenario, error) {
	return load(file, func(name string) ([]byte, error) { return fs.ReadFile(fsys, filepath.ToSlash(name)) })
}

// read reads a file by its name.
type read func(name string) ([]byte, error)

func load(file string, read read) (*Scenario, error) {
	data, err := read(file)
	if err != nil {
		return nil, fmt.Errorf("reading a scenario: %w", err)
	}
	return parse(file, data, read)
}

func parse(file string, data []byte, read read) (*Scenario, error) {
	root, err := document(file, data, "Test")
	if err != nil {
		return nil, err
	}
	s := &Scenario{File: file, Name: text(root, "metadata", "name"), Labels: map[string]string{}, root: root, origin: map[*yaml.Node]string{}}
	if s.Name == "" {
		return nil, s.problem(root, "metadata.name is required")
	}
	if labels := at(root, "metadata", "labels"); labels != nil {
		if err := labels.Decode(&s.Labels); err != nil {
			return nil, s.problem(labels, "metadata.labels: %v", err)
		}
	}
	s.whereMapped = map[string]bool{}
	for field := range strings.SplitSeq(text(root, "metadata", "annotations", annotationWhereMapped), ",") {
		s.whereMapped[strings.TrimSpace(field)] = true
	}
	steps := at(root, "spec", "steps")
	if steps == nil || steps.Kind != yaml.SequenceNode || len(steps.Content) == 0 {
		return nil, s.problem(root, "spec.steps: a scenario needs steps")
	}
	for _, step := range steps.Content {
		if step.Kind != yaml.MappingNode {
			return nil, s.problem(step, "spec.steps: a step is a mapping")
		}
		if err := s.inline(step, read); err != nil {
			return nil, err
		}
	}
	return s, s.permitted()
}

// permitted finds parts of a scenario that lie outside of the dialect. It maps the
// scenario to the reference. A scenario need not be mappable to every implementation.
func (s *Scenario) permitted() error {
	err := newMapper(s, reference()).test()
	if skip := (*Skip)(nil); errors.As(err, &skip) {
		return nil
	}
	return err
}

// document reads the only object of a Chainsaw file.
func document(file string, data []byte, kind string) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := decoder.Decode(&doc); err != nil {
		return nil, fmt.Errorf("%s: not a %s: %w", file, kind, err)
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:%d: a second document: a file holds one %s", file, second.Line, kind)
	}
	root := doc.Content[0]
	var discard any
	if err := root.Decode(&discard); err != nil { // finds keys given twice, and aliases that grow without limit
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if api, k := text(root, "apiVersion"), text(root, "kind"); api != "chainsaw.kyverno.io/v1alpha1" || k != kind {
		return nil, fmt.Errorf("%s:%d: %s %s is not a chainsaw.kyverno.io/v1alpha1 %s", file, root.Line, api, k, kind)
	}
	var alias *yaml.Node
	walk(root, func(n *yaml.Node) {
		if n.Kind == yaml.AliasNode {
			alias = n
		}
	})
	if alias != nil {
		return nil, fmt.Errorf("%s:%d: an alias: write it out, or use a step template", file, alias.Line)
	}
	return root, nil
}

func walk(n *yaml.Node, f func(*yaml.Node)) {
	f(n)
	for _, child := range n.Content {
		walk(child, f)
	}
}

// inline replaces the use of a template by its content, as Chainsaw does. The order of the
// bindings: the step's own, then the template's, then those that the step passes.
func (s *Scenario) inline(step *yaml.Node, read read) error {
	use := remove(step, "use")
	if use == nil {
		return nil
	}
	name := text(use, "template")
	if name == "" {
		return s.problem(use, "use.template is required")
	}
	file := filepath.Join(filepath.Dir(s.File), name)
	data, err := read(file)
	if err != nil {
		return s.problem(use, "use.template: %v", err)
	}
	template, err := document(file, data, "StepTemplate")
	if err != nil {
		return err
	}
	for _, part := range []struct {
		key  string
		list *yaml.Node
	}{
		{"bindings", at(template, "spec", "bindings")},
		{"bindings", at(use, "with", "bindings")},
		{"try", at(template, "spec", "try")},
		{"catch", at(template, "spec", "catch")},
		{"finally", at(template, "spec", "finally")},
		{"cleanup", at(template, "spec", "cleanup")},
	} {
		if part.list == nil {
			continue
		}
		list := get(step, part.key)
		if list == nil {
			list = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
			set(step, part.key, list)
		}
		for _, item := range part.list.Content {
			list.Content = append(list.Content, item)
			if part.key != "bindings" {
				s.origin[item] = file
			}
		}
	}
	fillIn(step)
	return nil
}

// problem is an error at a place in a file.
type problem struct {
	file string
	line int
	err  error
}

func (p *problem) Error() string { return fmt.Sprintf("%s:%d: %v", p.file, p.line, p.err) }

func (p *problem) Unwrap() error { return p.err }

// problem returns an error at a place in the scenario's own file.
func (s *Scenario) problem(n *yaml.Node, format string, args ...any) error {
	return &problem{s.File, n.Line, fmt.Errorf(format, args...)}
}

// problemIn returns an error in an operation, which may come from a template.
func (s *Scenario) problemIn(operation, n *yaml.Node, format string, args ...any) error {
	file := s.File
	if template, ok := s.origin[operation]; ok {
		file = template
	}
	return &problem{file, n.Line, fmt.Errorf(format, args...)}
}
