package main

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/internal/mutant"
)

// image contains the program with all mutants: make mutants-image builds it.
const image = "registry.example/reconform-mutants:v1"

// adaptProfile changes the profile so that it starts the mutant and has the mutant's name.
func adaptProfile(m mutant.Mutant, content []byte) ([]byte, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		return nil, fmt.Errorf("decoding it: %w", err)
	}
	command := at(&document, "spec", "launch", "command")
	name := at(&document, "metadata", "name")
	implementation := at(&document, "spec", "implementation", "name")
	description := at(&document, "spec", "implementation", "description")
	switch {
	case command == nil || len(command.Content) == 0:
		return nil, errors.New("it has no spec.launch.command: write one")
	case name == nil:
		return nil, errors.New("it has no metadata.name: write one")
	case implementation == nil || description == nil:
		return nil, errors.New("spec.implementation has no name or no description: write both")
	}
	text := func(value string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: value} }
	// The path leads from bin/_mutants/NAME/fixtures/profiles to the program in bin.
	program := []*yaml.Node{text("../../../../mutants"), text("--mutant=" + m.Name)}
	command.Content = append(program, command.Content[1:]...)
	// As a Pod, it runs in the image that has all mutants.
	if shipped := at(&document, "spec", "launch", "inCluster"); shipped != nil {
		args := at(shipped, "args")
		if args == nil {
			args = &yaml.Node{Kind: yaml.SequenceNode}
			shipped.Content = append(shipped.Content, text("args"), args)
		}
		args.Content = append(args.Content, text("--mutant="+m.Name))
		shipped.Content = append(shipped.Content, text("image"), text(image))
	}
	name.SetString(m.Name)
	implementation.SetString(m.Name)
	description.SetString("A mutant. " + m.Mistake)
	return yaml.Marshal(&document)
}

// at returns the value at a path of keys, or nil.
func at(node *yaml.Node, keys ...string) *yaml.Node {
	if node.Kind == yaml.DocumentNode && len(node.Content) == 1 {
		node = node.Content[0]
	}
	for _, key := range keys {
		var next *yaml.Node
		for i := 0; i+1 < len(node.Content) && node.Kind == yaml.MappingNode; i += 2 {
			if node.Content[i].Value == key {
				next = node.Content[i+1]
			}
		}
		if next == nil {
			return nil
		}
		node = next
	}
	return node
}
