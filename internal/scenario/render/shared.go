package render

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// between names the kind of the objects that a workload makes, and that make the Pods. Their
// names are that of the workload and a hash or a number.
var between = map[string]string{"Deployment": "ReplicaSet", "CronJob": "Job"}

// leaveShared makes a pattern that nothing must match leave out what all primary objects of a
// namespace share, and what belongs to that. A pattern with a name stays as it is.
func (m *mapper) leaveShared(pattern *yaml.Node) {
	if at(pattern, "metadata", "name") != nil {
		return
	}
	var terms []string
	kind := text(pattern, "kind")
	for _, shared := range m.profile.Spec.Contract.Children.Shared {
		switch {
		case shared.Kind == kind:
			terms = append(terms, fmt.Sprintf("metadata.name != '%s'", shared.Name))
		case kind == "Pod" || kind == between[shared.Kind]:
			terms = append(terms, notOf(shared, kind))
		}
	}
	if len(terms) > 0 {
		set(pattern, "("+strings.Join(terms, " && ")+")", &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"})
	}
}

// notOf returns an expression that is true for an object of a kind that does not belong to what is
// shared. In JMESPath ! binds stronger than a dot, so what it negates is in parentheses.
func notOf(shared v1alpha1.SharedChild, kind string) string {
	owner := fmt.Sprintf("kind == '%s' && name == '%s'", shared.Kind, shared.Name)
	if made := between[shared.Kind]; kind == "Pod" && made != "" {
		owner = fmt.Sprintf("kind == '%s' && regex_match('^%s-[0-9a-z]+$', name)", made, strings.ReplaceAll(shared.Name, ".", "[.]"))
	}
	return "!(metadata.ownerReferences[?" + owner + "])"
}

// observesOwn makes an Observation of all objects of a kind leave out what is shared.
func (m *mapper) observesOwn(spec *yaml.Node) {
	if get(spec, "name") != nil {
		return
	}
	var terms []string
	if where := text(spec, "where"); where != "" {
		terms = append(terms, "("+where+")")
	}
	given, of := len(terms), text(spec, "resource")
	workload := schema.GroupResource{Group: m.workload.Group, Resource: m.workload.Plural}.String()
	for _, shared := range m.profile.Spec.Contract.Children.Shared {
		if shared.Kind == "Service" && of == "services" || shared.Kind == m.workload.Kind && of == workload {
			terms = append(terms, fmt.Sprintf("new.metadata.name != '%s'", shared.Name))
		}
	}
	if len(terms) > given {
		set(spec, "where", str(strings.Join(terms, " && ")))
	}
}
