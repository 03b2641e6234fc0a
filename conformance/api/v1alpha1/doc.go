// Package v1alpha1 holds the objects of the bench (Subject, Fault, Disruption, Traffic,
// Observation, Snapshot, Load, Drift and Trial), the Profile that describes one
// implementation, and the reports: the ConformanceReport that a run ends with, and the
// ExploreReport of an exploration.
//
// The bench's objects are served as custom resources, so that a scenario is a
// plain Chainsaw test and a person can do the same by hand with kubectl. Each
// acts in its own namespace, which is the scenario's.
//
// +kubebuilder:object:generate=true
// +groupName=reconform.dev
package v1alpha1
