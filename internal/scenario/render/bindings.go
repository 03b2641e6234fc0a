package render

import (
	"cmp"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// bindings maps the bindings of a test. Bindings with fixed names are constants of the
// contract; they get the implementation's values.
func (m *mapper) bindings(spec *yaml.Node) error {
	list := get(spec, "bindings")
	if list == nil {
		return nil
	}
	for _, binding := range list.Content {
		name, value := text(binding, "name"), get(binding, "value")
		constant, what := m.contractConstant(name)
		switch {
		case what == "":
		case constant == nil && m.variables[name]:
			return m.skip("it needs %s, and the profile has no %s", name, what)
		case constant != nil && value != nil:
			node, err := encode(constant)
			if err != nil {
				return err
			}
			if value.Kind != yaml.ScalarNode || value.Value != node.Value {
				node.LineComment = value.LineComment
				*value = *node
			}
		}
	}
	return nil
}

// contractConstant returns the implementation's value for a binding with a fixed name, and
// the place in the profile that it comes from. The value is nil if the profile does not
// say it. The place is empty if the name is not one of the fixed names.
func (m *mapper) contractConstant(name string) (value any, what string) {
	contract := m.profile.Spec.Contract
	switch name {
	case "defaultReplicas":
		return number32(contract.Defaults.Replicas, contract.Spec.Replicas), "contract.defaults.replicas"
	case "defaultPort":
		return number32(contract.Defaults.Port, contract.Spec.Port), "contract.defaults.port"
	case "minReplicas", "maxReplicas":
		return bound(contract.Bounds.Replicas, name == "maxReplicas"), "contract.bounds.replicas"
	case "minPort", "maxPort":
		return bound(contract.Bounds.Port, name == "maxPort"), "contract.bounds.port"
	case "printerColumns":
		if columns := contract.PrinterColumns; len(columns) > 0 {
			return columns, "contract.printerColumns"
		}
		return nil, "contract.printerColumns"
	case "fewestConditions":
		if m.profile.Has(v1alpha1.FeatureConditions) {
			return 1, "claims.features"
		}
		return 0, "claims.features"
	case "rolloutConditions":
		if m.profile.Has(v1alpha1.FeatureAvailableWhenRolledOut) {
			return []string{"Available"}, "claims.features"
		}
		return []string{}, "claims.features"
	case "updateReason":
		if told := m.profile.Spec.Claims.Events; told != nil && told.Updated != "" {
			return told.Updated, "claims.events.updated"
		}
		return nil, "claims.events.updated"
	case "failureReason":
		if told := m.profile.Spec.Claims.Events; told != nil && told.Failed != "" {
			return told.Failed, "claims.events.failed"
		}
		return nil, "claims.events.failed"
	case "updateWords":
		return m.updateWords(), "contract.children.deployment"
	case "leaseName", "leaseNamespace":
		election := m.profile.Spec.Launch.LeaderElection
		if election == nil {
			return nil, "launch.leaderElection"
		}
		if name == "leaseName" {
			return election.Lease.Name, "launch.leaderElection.lease.name"
		}
		return cmp.Or(election.Lease.Namespace, m.home()), "launch.leaderElection.lease.namespace"
	case "home":
		return m.home(), "install"
	}
	return nil, ""
}

// home returns an expression for the namespace that the controller lives in.
func (m *mapper) home() string {
	if m.profile.Spec.Install.InServedNamespace {
		return "($namespace)"
	}
	return "(join('', [$namespace, '" + profile.HomeSuffix + "']))"
}

// updateWords returns an expression for the words that an Event about an update of the
// replicas may contain: the kind of the workload, the field, or the name that either has
// in this implementation.
func (m *mapper) updateWords() string {
	words := "(?i)" + strings.ToLower(m.workload.Kind) + "|replica"
	if field := m.profile.Spec.Contract.Spec.Replicas; field != nil && field.Path != "" {
		name := field.Path[strings.LastIndex(field.Path, ".")+1:]
		if !strings.Contains(strings.ToLower(name), "replica") {
			words += "|" + regexp.QuoteMeta(name)
		}
	}
	const webapp = "demo"
	if child, err := m.childName(kindDeployment, webapp); err == nil && child != webapp {
		words += "|" + regexp.QuoteMeta(child)
	}
	return words
}

func number32(value *int32, field *v1alpha1.Field) any {
	switch {
	case value != nil:
		return *value
	case field != nil && field.Constant != nil:
		return field.Constant.IntValue()
	}
	return nil
}

func bound(r *v1alpha1.Range, upper bool) any {
	switch {
	case r == nil:
		return nil
	case upper:
		return r.Maximum
	}
	return r.Minimum
}
