package render

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// translate returns what a value becomes in the implementation. from is where the value
// comes from or what it is compared with. If that may be several places, the result must
// be the same for all of them.
func (m *mapper) translate(value string, from shape) (string, error) {
	if len(from) == 0 {
		m.values.recordOther(value)
		return m.qualified(value), nil
	}
	var result string
	for i, o := range from {
		next, err := m.translateAs(value, o.means())
		if err != nil {
			return "", err
		}
		if i > 0 && next != result {
			return "", fmt.Errorf("%s may be of %s or of %s, which differ: use two expressions", value, describe(from[0]), describe(o))
		}
		result = next
	}
	return result, nil
}

func (m *mapper) translateAs(value string, means meaning) (string, error) {
	contract := m.profile.Spec.Contract
	to, workload := contract.Resource, m.workload
	replace := func(from, to string) (string, error) {
		if value == from {
			return to, nil
		}
		return value, nil
	}
	switch means.sense {
	case showsField:
		m.values.recordCompared(means, value)
		given := means.field
		if given == servicePort {
			given = "port" // a scenario gives one for both
		}
		if before, ok := m.stays[given][value]; ok {
			value = before
		}
		if constant, ok := m.constantOf(means.field); ok && m.used[given][value] {
			return constant.Value, nil
		}
		return m.format(means, m.values.moved(means.field, value))
	case namesPhase:
		if phase, ok := contract.Phases[value]; ok {
			return phase, nil
		}
		return value, nil
	case namesKind:
		if value == deploymentKind {
			return workload.Kind, nil
		}
		return replace(referenceKind, to.Kind)
	case namesWorkloadAPI:
		return replace(deploymentGroup+"/"+deploymentVersion, groupVersion(workload.Group, workload.Version))
	case namesAPIVersion:
		return replace(referenceGroup+"/"+referenceVersion, to.Group+"/"+to.Version)
	case namesGroup:
		if value == deploymentGroup {
			return workload.Group, nil
		}
		return replace(referenceGroup, to.Group)
	case namesPlural:
		return m.resource(value), nil
	case namesContainer:
		return m.container(value, means.of)
	case namesDeployment:
		return m.childName(kindDeployment, value)
	case namesService:
		return m.childName(kindService, value)
	case namesFieldOfPrimary:
		return m.fieldOfPrimary(value)
	default:
		return m.qualified(value), nil
	}
}

// qualified translates a value that is a full name of the reference's resource. Such a
// value can mean nothing else.
func (m *mapper) qualified(value string) string {
	to := m.profile.Spec.Contract.Resource
	switch value {
	case referenceGroup:
		return to.Group
	case referenceGroup + "/" + referenceVersion:
		return to.Group + "/" + to.Version
	case referencePlural + "." + referenceGroup:
		return to.Plural + "." + to.Group
	}
	return value
}

// resource translates a resource, with or without a group and a subresource.
func (m *mapper) resource(value string) string {
	name, sub, hasSub := strings.Cut(value, "/")
	to := m.profile.Spec.Contract.Resource
	plural, group := to.Plural, to.Group
	switch kind := kindOfResource(name); {
	case kind == kindDeployment && !m.makesDeployments():
		plural, group = m.workload.Plural, m.workload.Group
	case kind != kindPrimary:
		return value
	}
	if strings.Contains(name, ".") {
		plural += "." + group
	}
	name = plural
	if hasSub {
		name += "/" + sub
	}
	return name
}

// fieldOfPrimary translates spec.NAME and status.NAME in a message.
func (m *mapper) fieldOfPrimary(value string) (string, error) {
	section, field, _ := strings.Cut(value, ".")
	path, known, err := m.moved(section, field)
	if err != nil || !known {
		return value, err
	}
	if m.omitted[field] && section == "spec" {
		path = path[:1] // the object above it may be missing instead
	}
	return strings.ReplaceAll(section+"."+strings.Join(path, "."), "."+profile.First, profile.First), nil
}

// moved returns the path of a field of the reference's spec or status in the
// implementation. known is false if the reference has no such field. The error is a Skip
// if the implementation does not have the field.
func (m *mapper) moved(section, field string) (path []string, known bool, err error) {
	reference, fields := referenceSpec, m.spec
	if section == "status" {
		reference, fields = referenceStatus, m.status
	} else if section != "spec" {
		return nil, false, nil
	}
	if !reference[field] {
		return nil, false, nil
	}
	switch mapped := fields[field]; {
	case mapped.Path == "":
		return nil, true, m.skip("it looks at %s.%s, which %s", section, field, m.lacks(field))
	case mapped.As == v1alpha1.AsList:
		return nil, true, m.skip("it looks at %s.%s, which is a list in this implementation", section, field)
	case mapped.As == v1alpha1.AsName:
		return nil, true, m.skip("it looks at %s.%s, which is a name in this implementation", section, field)
	default:
		return profile.Steps(mapped.Path)[1:], true, nil
	}
}

// moves returns the paths below spec or status to which the fields of the reference move.
func moves(fields map[string]v1alpha1.Field) map[string][]string {
	paths := map[string][]string{}
	for name, field := range fields {
		if field.Path != "" {
			paths[name] = profile.Steps(field.Path)[1:]
		}
	}
	return paths
}

// constantOf returns the value that a field of the reference always has, if the field is
// constant.
func (m *mapper) constantOf(field string) (*yaml.Node, bool) {
	mapped, ok := m.spec[field]
	if !ok || mapped.Constant == nil {
		return nil, false
	}
	n := str(mapped.Constant.String())
	if mapped.Constant.Type == intstr.Int {
		n.Tag, n.Style = "!!int", 0
	}
	return n, true
}

// absent returns the fields that a value shows but the implementation does not have.
func (m *mapper) absent(s shape) []string {
	fields := slices.DeleteFunc(s.shows(), func(field string) bool {
		_, has := m.spec[field]
		return has
	})
	return append(fields, m.lacking(s)...)
}

// groupVersion returns an apiVersion.
func groupVersion(group, version string) string {
	return schema.GroupVersion{Group: group, Version: version}.String()
}

// childName returns the implementation's name for a child that a scenario names like the
// primary. Other names are the scenario's own and stay.
func (m *mapper) childName(kind objectKind, name string) (string, error) {
	p := m.primaries[name]
	if p == nil {
		return name, nil
	}
	if p.unnamed != nil {
		return "", m.skip("the children of %s cannot be named: %v", name, p.unnamed)
	}
	switch kind {
	case kindDeployment:
		return p.deployment, nil
	case kindService:
		return p.service, nil
	}
	return name, nil
}

func describe(o origin) string {
	kind := map[objectKind]string{
		kindPrimary: referenceKind, kindDeployment: "Deployment", kindService: "Service", kindEndpointSlice: "EndpointSlice",
	}[o.kind]
	if kind == "" {
		kind = "another object"
	}
	if o.path == "" {
		return kind
	}
	return o.path + " of " + kind
}
