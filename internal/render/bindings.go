package render

import (
	"math"
	"time"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
)

// bindings maps the bindings of a test: constants of the contract, which have
// fixed names, get the implementation's values.
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

// contractConstant is the implementation's value for a binding with a fixed
// name, and where in the profile it comes from. The value is nil where the profile does
// not say. The place is empty where the name is not one of the fixed ones.
func (m *mapper) contractConstant(name string) (value any, what string) {
	contract, claims := m.profile.Spec.Contract, m.profile.Spec.Claims
	events := claims.Events
	if events == nil {
		events = &v1alpha1.EventReasons{}
	}
	reporting := reportingOf(m.profile)
	switch name {
	case "defaultReplicas":
		return number32(contract.Defaults.Replicas, contract.Spec.Replicas), "contract.defaults.replicas"
	case "defaultPort":
		return number32(contract.Defaults.Port, contract.Spec.Port), "contract.defaults.port"
	case "minReplicas", "maxReplicas":
		return bound(contract.Bounds.Replicas, name == "maxReplicas"), "contract.bounds.replicas"
	case "minPort", "maxPort":
		return bound(contract.Bounds.Port, name == "maxPort"), "contract.bounds.port"
	case "createdReason":
		return orNil(events.Created), "claims.events.created"
	case "updatedReason":
		return orNil(events.Updated), "claims.events.updated"
	case "failedReason":
		return orNil(events.Failed), "claims.events.failed"
	case "reportingConditionType":
		return reporting.Condition.Type, "claims.reporting.condition"
	case "reportingConditionStatus":
		return reporting.Condition.Status, "claims.reporting.condition"
	case "reportingEventReason":
		return reporting.EventReason, "claims.reporting.eventReason"
	case "printerColumns":
		if columns := contract.PrinterColumns; len(columns) > 0 {
			return columns, "contract.printerColumns"
		}
		return nil, "contract.printerColumns"
	case "reconcilesMetric":
		return claims.Metrics.Reconciles, "claims.metrics.reconciles"
	case "errorsMetric":
		return claims.Metrics.Errors, "claims.metrics.errors"
	case "queueDepthMetric":
		return claims.Metrics.QueueDepth, "claims.metrics.queueDepth"
	case "queueLatencyMetric":
		return claims.Metrics.QueueLatency, "claims.metrics.queueLatency"
	case "queueRetriesMetric":
		return claims.Metrics.QueueRetries, "claims.metrics.queueRetries"
	case "childCache":
		return m.profile.Has("child-cache"), "claims.features"
	case "fenced":
		return m.profile.Has("fenced"), "claims.features"
	case "retryAfter":
		return m.profile.Has("retry-after"), "claims.features"
	case "clientQPS":
		return claims.ClientQPS, "claims.clientQPS"
	case "longestRetryPauseSeconds":
		return seconds(claims.Times.LongestRetryPause.Duration), "claims.times.longestRetryPause"
	case "resyncSeconds":
		return seconds(claims.Times.Resync.Duration), "claims.times.resync"
	case "shutdownGraceSeconds":
		return seconds(claims.Times.ShutdownGrace.Duration), "claims.times.shutdownGrace"
	case "leaseDurationSeconds", "leaseRenewDeadlineSeconds", "leaseRetryPeriodSeconds":
		return leaseTime(claims.Times.Lease, name), "claims.times.lease"
	case "leaseName", "leaseNamespace":
		election := m.profile.Spec.Launch.LeaderElection
		if election == nil {
			return nil, "launch.leaderElection"
		}
		if name == "leaseName" {
			return election.Lease.Name, "launch.leaderElection.lease.name"
		}
		return election.Lease.Namespace, "launch.leaderElection.lease.namespace"
	}
	return nil, ""
}

// reportingOf is where a failure shows. What is empty in it is no channel. All of it is
// empty where the profile does not claim to report failures.
func reportingOf(p *profile.Profile) v1alpha1.Reporting {
	r := v1alpha1.Reporting{Condition: &v1alpha1.ReportingCondition{}}
	if given := p.Spec.Claims.Reporting; given != nil && p.Has("error-reporting") {
		r.EventReason = given.EventReason
		if given.Condition != nil {
			r.Condition = given.Condition
		}
	}
	return r
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

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// leaseTime is the period that a binding names; nil where none is declared.
func leaseTime(times *v1alpha1.LeaseTimes, binding string) any {
	switch {
	case times == nil:
		return nil
	case binding == "leaseDurationSeconds":
		return seconds(times.Duration.Duration)
	case binding == "leaseRenewDeadlineSeconds":
		return seconds(times.RenewDeadline.Duration)
	default:
		return seconds(times.RetryPeriod.Duration)
	}
}

// seconds rounds up, so that no bound becomes too short.
func seconds(d time.Duration) any {
	return int64(math.Ceil(d.Seconds()))
}
