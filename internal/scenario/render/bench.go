package render

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/scenario/dialect"
)

// observation maps an Observation. It drops an Observation of a Service if the
// implementation makes no Service.
func (m *mapper) observation(resource *yaml.Node) (bool, error) {
	spec := get(resource, "spec")
	observed := get(spec, "resource")
	if observed == nil {
		return true, m.objectTree(resource, object(kindObservation))
	}
	kind := kindOfResource(observed.Value)
	// If the profile does not claim the feature, the Observation is Met in any case.
	feature := v1alpha1.Feature(text(spec, "feature"))
	if m.missing(kind) || feature != "" && !m.profile.Has(feature) {
		m.dropped[text(resource, "metadata", "name")] = true
		return false, nil
	}
	for _, key := range []string{"where", "never", "eventually"} {
		rule := get(spec, key)
		if rule == nil {
			continue
		}
		if rule.Kind != yaml.ScalarNode || isExpression(rule.Value) {
			return false, m.at(rule, fmt.Errorf("%s: the rule must be CEL, and not an expression of Chainsaw", key))
		}
		versions := child(kind, m.nameOf(get(spec, "name")))
		if key == "never" {
			parsed, err := dialect.ParseRule(rule.Value, "old", "new", "first", "all", "claims")
			if err == nil {
				err = m.lasts(kind, text(spec, "name"), parsed.Root)
			}
			if err != nil {
				return false, m.at(rule, fmt.Errorf("%s: %w", key, err))
			}
		}
		variables := map[string]shape{"old": versions, "new": versions, "first": versions, "all": versions.listed(), "claims": nil}
		if err := m.rule(rule, variables); err != nil {
			return false, m.at(rule, fmt.Errorf("%s: %w", key, err))
		}
	}
	if err := m.nameChild(kind, get(spec, "name")); err != nil {
		return false, err
	}
	observed.Value = m.resource(observed.Value)
	m.observesOwn(spec)
	return true, m.rest(resource, "resource", "name", "where", "never", "eventually")
}

// drift maps the object that a Drift changes. It drops the Drift if the implementation
// does not have that child, or does not claim to keep it.
func (m *mapper) drift(resource *yaml.Node) (bool, error) {
	spec := get(resource, "spec")
	changed := get(spec, "resource")
	if changed == nil {
		return false, m.at(resource, errors.New("a Drift needs spec.resource"))
	}
	kind := kindOfResource(changed.Value)
	feature := v1alpha1.Feature(text(spec, "feature"))
	if m.missing(kind) || feature != "" && !m.profile.Has(feature) {
		m.dropped[text(resource, "metadata", "name")] = true
		return false, nil
	}
	if err := m.ended(kind, text(spec, "name"), "changes"); err != nil {
		return false, err
	}
	if err := m.nameChild(kind, get(spec, "name")); err != nil {
		return false, err
	}
	changed.Value = m.resource(changed.Value)
	return true, m.rest(resource, "resource", "name")
}

// rest maps a bench object, except the parts of its spec that are already mapped.
func (m *mapper) rest(resource *yaml.Node, done ...string) error {
	spec := get(resource, "spec")
	if spec == nil {
		return m.objectTree(resource, object(kindOf(resource)))
	}
	var kept []*yaml.Node
	whole := spec.Content
	defer func() { spec.Content = whole }()
	for i := 0; i+1 < len(whole); i += 2 {
		if !names(done...)[whole[i].Value] {
			kept = append(kept, whole[i], whole[i+1])
		}
	}
	spec.Content = kept
	return m.objectTree(resource, object(kindOf(resource)))
}

// policy maps the rules of an admission policy. They are about the objects that the policy
// matches.
func (m *mapper) policy(resource *yaml.Node) error {
	spec := get(resource, "spec")
	objects := matchedBy(spec)
	variables := map[string]shape{"object": objects, "oldObject": objects, "authorizer": nil, "request": nil, "params": nil, "namespaceObject": nil}
	for _, key := range []string{"validations", "matchConditions"} {
		for _, validation := range list(get(spec, key)) {
			rule := get(validation, "expression")
			if rule == nil || rule.Kind != yaml.ScalarNode || isExpression(rule.Value) {
				return m.at(validation, errors.New("the rule must be CEL, and not an expression of Chainsaw"))
			}
			if err := m.rule(rule, variables); err != nil {
				return m.at(rule, err)
			}
		}
	}
	for _, key := range []string{"variables", "auditAnnotations"} {
		if n := get(spec, key); n != nil {
			return m.at(n, fmt.Errorf("%s of a policy are not allowed: write the rule out", key))
		}
	}
	return m.objectTree(resource, object(kindPolicy))
}

// matchedBy returns the objects that the spec of a policy is about.
func matchedBy(spec *yaml.Node) (objects shape) {
	for _, matched := range list(at(spec, "matchConstraints", "resourceRules")) {
		for _, group := range list(get(matched, "apiGroups")) {
			for _, plural := range list(get(matched, "resources")) {
				name := schema.GroupResource{Group: group.Value, Resource: plural.Value}.String()
				objects = objects.and(object(kindOfResource(name)))
			}
		}
	}
	return objects
}

// matching maps the names and resources of requests: those that a Traffic or a Fault
// matches (match), or those that a Disruption interrupts (while).
func (m *mapper) matching(resource *yaml.Node, key string) error {
	match := at(resource, "spec", key)
	names, resources := get(match, "names"), get(match, "resources")
	var renamed []*yaml.Node
	seen := map[string]bool{}
	for _, r := range list(resources) {
		kind := kindOfResource(r.Value)
		r.Value = m.resource(r.Value)
		if m.missing(kind) {
			continue
		}
		for _, name := range list(names) {
			n := clone(name)
			if err := m.nameChild(kind, n); err != nil {
				return err
			}
			if !seen[n.Value] {
				renamed, seen[n.Value] = append(renamed, n), true
			}
		}
	}
	if len(renamed) > 0 {
		names.Content = renamed
	}
	return m.rest(resource)
}

// snapshot maps the names of a Snapshot's objects. It drops the resources that the
// implementation does not have.
func (m *mapper) snapshot(resource *yaml.Node) error {
	if resources := at(resource, "spec", "resources"); resources != nil {
		kept := resources.Content[:0:0]
		for _, r := range resources.Content {
			if !m.missing(kindOfResource(r.Value)) {
				r.Value = m.resource(r.Value)
				kept = append(kept, r)
			}
		}
		if len(kept) == 0 && len(resources.Content) > 0 {
			return m.skip("it takes a Snapshot of Services, and the implementation makes none")
		}
		resources.Content = kept
	}
	names := at(resource, "spec", "names")
	if names == nil {
		return m.rest(resource)
	}
	var all []*yaml.Node
	seen := map[string]bool{}
	for _, name := range names.Content {
		for _, object := range []objectKind{kindPrimary, kindDeployment, kindService} {
			if m.missing(object) {
				continue
			}
			n := clone(name)
			if err := m.nameChild(object, n); err != nil {
				return err
			}
			if !seen[n.Value] {
				all, seen[n.Value] = append(all, n), true
			}
		}
	}
	names.Content = all
	return m.rest(resource)
}
