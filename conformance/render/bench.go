package render

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// kindOfResource is the kind behind a resource as the bench's objects and
// kubectl name it: plural or plural.group, and kubectl's short forms.
func kindOfResource(name string) objectKind {
	switch name {
	case "webapps", "webapp", "wa", "webapps.apps.kubedojo.io", "webapp.apps.kubedojo.io", "webapps.v1beta1.apps.kubedojo.io":
		return kindPrimary
	case "deployments", "deployment", "deploy", "deployments.apps", "deployment.apps", "deployments.v1.apps":
		return kindDeployment
	case "services", "service", "svc", "endpointslices", "endpointslices.discovery.k8s.io":
		return kindService
	}
	return kindOther
}

// observation maps an Observation and drops one of a Service where there is
// none.
func (m *mapper) observation(resource *yaml.Node) (bool, error) {
	spec := get(resource, "spec")
	object, never := kindOfResource(text(spec, "resource")), get(spec, "never")
	switch object {
	case kindService:
		if m.noService() {
			m.dropped[text(resource, "metadata", "name")] = true
			return false, nil
		}
	case kindPrimary:
		if never != nil {
			m.phasesIn(never)
			if err := m.pathsIn(never); err != nil {
				return false, err
			}
		}
	case kindDeployment:
		if never != nil {
			if err := m.childRule(never); err != nil {
				return false, err
			}
		}
	}
	if err := m.nameChild(object, get(spec, "name")); err != nil {
		return false, err
	}
	m.words(resource)
	return true, nil
}

var number = regexp.MustCompile(`\b[0-9]+\b`)

// childRule maps a rule over a Deployment: its container, and a constant image.
// A number in a rule over a constant has no place to be put.
func (m *mapper) childRule(never *yaml.Node) error {
	never.Value = m.containerIn(never.Value)
	for _, field := range shown(never.Value) {
		constant, ok := m.constantOf(field)
		if !ok {
			continue
		}
		if field != "image" && number.MatchString(never.Value) {
			return m.skip("its rule over %s has a number in it, and %s %s", field, field, m.lacks(field))
		}
		for used := range m.used[field] {
			for _, quote := range []string{"'", `"`} {
				never.Value = strings.ReplaceAll(never.Value, quote+used+quote, quote+constant.Value+quote)
			}
		}
	}
	return nil
}

// traffic maps the names that a Traffic or a Fault matches, where they are
// children's.
func (m *mapper) traffic(resource *yaml.Node) error {
	match := at(resource, "spec", "match")
	names, resources := get(match, "names"), get(match, "resources")
	if names == nil || resources == nil {
		return nil
	}
	var renamed []*yaml.Node
	seen := map[string]bool{}
	for _, r := range resources.Content {
		plural, _, _ := strings.Cut(r.Value, "/")
		object := kindOfResource(plural)
		if object == kindService && m.noService() {
			continue
		}
		for _, name := range names.Content {
			n := clone(name)
			if err := m.nameChild(object, n); err != nil {
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
	return nil
}
