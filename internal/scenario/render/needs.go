package render

import (
	"regexp"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// SeveralReplicas says whether a Subject of the scenario runs more than one replica at any
// time. A number that the scenario computes counts as more than one.
func (s *Scenario) SeveralReplicas() bool {
	several := false
	s.eachWrite(func(body, resource *yaml.Node, bindings []*yaml.Node) {
		if kindOf(resource) != kindSubject {
			return
		}
		replicas := resolve(text(resource, "spec", "replicas"), bindings)
		count, err := strconv.Atoi(replicas)
		several = several || replicas != "" && (err != nil || count > 1)
	})
	return several
}

// Elects says whether a Subject of the scenario competes for its Lease at any time.
func (s *Scenario) Elects() bool {
	elects := false
	s.eachWrite(func(body, resource *yaml.Node, bindings []*yaml.Node) {
		elects = elects || kindOf(resource) == kindSubject && text(resource, "spec", "leaderElection") == "true"
	})
	return elects
}

// MeasuresProcesses says whether the scenario measures the controller's processes: their
// memory, or their file descriptors.
func (s *Scenario) MeasuresProcesses() bool {
	measures := false
	s.eachWrite(func(body, resource *yaml.Node, bindings []*yaml.Node) {
		expect := at(resource, "spec", "expect")
		measures = measures || kindOf(resource) == kindTraffic && (get(expect, "memoryMiB") != nil || get(expect, "descriptors") != nil)
	})
	return measures
}

// NeedsProcesses returns an action of the scenario that works only on a process of this
// machine, not on a Pod. It returns "" if there is none.
func (s *Scenario) NeedsProcesses() string {
	needs := ""
	s.eachWrite(func(body, resource *yaml.Node, bindings []*yaml.Node) {
		action := resolve(text(resource, "spec", "action"), bindings)
		if kindOf(resource) == kindDisruption && (action == string(v1alpha1.ActionInterrupt) || action == string(v1alpha1.ActionRotateToken)) {
			needs = action
		}
	})
	return needs
}

// twoInOne returns two primaries that the scenario has in the same namespace, even if it
// makes one after the other. It returns "" if no namespace has more than one. Primaries
// that are meant to be refused do not count.
func (s *Scenario) twoInOne() string {
	first, found := map[string]string{}, ""
	count := func(namespace, name string) {
		if namespace == "($namespace)" {
			namespace = "" // the scenario's own
		}
		switch one, known := first[namespace]; {
		case !known:
			first[namespace] = name
		case one != name && found == "":
			found = one + " and " + name
		}
	}
	s.eachWrite(func(body, resource *yaml.Node, bindings []*yaml.Node) {
		named := func(object *yaml.Node, key string) string { return resolve(text(object, "metadata", key), bindings) }
		switch kindOf(resource) {
		case kindPrimary:
			if !refusalExpected(get(body, "expect")) {
				count(named(resource, "namespace"), named(resource, "name"))
			}
		case kindLoad:
			template, _, numbered := loadTemplate(resource)
			if kindOf(template) != kindPrimary {
				return
			}
			namespace, name := named(resource, "namespace"), named(template, "name")
			if !numbered {
				count(namespace, name)
				return
			}
			count(namespace, name+"-0")
			if resolve(text(resource, "spec", "count"), bindings) != "1" {
				count(namespace, name+"-1")
			}
		}
	})
	return found
}

// eachWrite calls f for every object that a step applies, creates, updates or patches. The
// bindings are those in force there, the last one first.
func (s *Scenario) eachWrite(f func(body, resource *yaml.Node, bindings []*yaml.Node)) {
	spec := get(s.root, "spec")
	for _, step := range get(spec, "steps").Content {
		for operation := range operationsOf(step) {
			switch kind, body := split(operation); kind {
			case "apply", "create", "update", "patch":
				f(body, get(body, "resource"), lastFirst(get(spec, "bindings"), get(step, "bindings"), get(body, "bindings")))
			}
		}
	}
}

// lastFirst joins lists of bindings, the last one first. If a name is bound twice, the
// later binding counts.
func lastFirst(lists ...*yaml.Node) []*yaml.Node {
	var all []*yaml.Node
	for _, list := range lists {
		if list != nil {
			all = append(all, list.Content...)
		}
	}
	slices.Reverse(all)
	return all
}

// resolve replaces the names of bindings in a value by their values; the bindings come
// last first. What must still be computed stays an expression.
func resolve(value string, bindings []*yaml.Node) string {
	for _, binding := range bindings {
		name, bound := text(binding, "name"), text(binding, "value")
		switch {
		case !isExpression(value):
			return value
		case value == "($"+name+")":
			value = bound
		case name != "":
			value = regexp.MustCompile(`\$`+regexp.QuoteMeta(name)+`\b`).ReplaceAllLiteralString(value, bound)
		}
	}
	return value
}
