package render

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// effectiveWrite returns an operation that creates a Traffic: it waits for an effective
// write.
func effectiveWrite(name string, within *yaml.Node) *yaml.Node {
	if within == nil {
		within = mapping(str("longestPauses"), integer(1), str("plus"), str("20s"))
	}
	spec := mapping(
		str("match"), mapping(str("verbs"), sequence("create", "update", "delete")),
		str("start"), str("Effective"),
		str("windowMs"), integer(100),
		str("quietWithin"), within,
		str("expect"), mapping(str("effective"), mapping(str("min"), integer(1))),
	)
	return bench("create", "Traffic", name, str("spec"), spec)
}

// bench returns an operation with an object of the bench.
func bench(kind, of, name string, more ...*yaml.Node) *yaml.Node {
	resource := mapping(append([]*yaml.Node{
		str("apiVersion"), str("reconform.dev/v1alpha1"), str("kind"), str(of), str("metadata"), mapping(str("name"), str(name)),
	}, more...)...)
	return mapping(str(kind), mapping(str("resource"), resource))
}

// met returns an operation that waits for the verdict of a Traffic.
func met(traffic string) *yaml.Node {
	operation := bench("assert", "Traffic", traffic, str("status"), mapping(str("verdict"), str("Met")))
	set(get(operation, "assert"), "timeout", str("300s"))
	return operation
}

// rest returns operations that wait until the controller has acted on the last change, and
// has come to rest.
func (g *generalizer) rest() []*yaml.Node {
	var operations []*yaml.Node
	if g.last != nil && !g.last.awaited {
		g.last.needed, g.last.awaited = true, true
		operations = append(operations, met(g.last.name))
	}
	if g.resting && len(operations) == 0 {
		return nil
	}
	g.rests++
	name := fmt.Sprintf("rests-%d", g.rests)
	quiet := bench("create", "Traffic", name, str("spec"), mapping(str("start"), str("Quiet"), str("windowMs"), integer(500)))
	return append(operations, quiet, met(name))
}

// placeMarkers puts the Traffic in the places of the markers that are needed.
func (g *generalizer) placeMarkers() {
	instead := map[*yaml.Node]*yaml.Node{}
	for _, c := range g.all {
		instead[c.marker] = nil
		if c.needed {
			instead[c.marker] = effectiveWrite(c.name, nil)
		}
	}
	for _, step := range list(at(g.m.scenario.root, "spec", "steps")) {
		for _, key := range operationKeys {
			replaceEach(get(step, key), instead)
		}
	}
}

// replaceEach puts other nodes in the places of those that are keys of instead. For nil it only
// removes the node.
func replaceEach(operations *yaml.Node, instead map[*yaml.Node]*yaml.Node) {
	if operations == nil {
		return
	}
	for i, operation := range operations.Content {
		if other, replaced := instead[operation]; replaced {
			operations.Content[i] = other
		}
	}
	operations.Content = slices.DeleteFunc(operations.Content, func(n *yaml.Node) bool { return n == nil })
}

func integer(n int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: fmt.Sprint(n)}
}

func sequence(items ...string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Style: yaml.FlowStyle}
	for _, item := range items {
		node.Content = append(node.Content, str(item))
	}
	return node
}
