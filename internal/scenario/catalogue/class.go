package catalogue

import (
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// The conformance classes.
const (
	ClassCore             = "Core"
	ClassService          = "Service"
	ClassStatus           = "Status"
	ClassObservability    = "Observability"
	ClassHighAvailability = "High availability"
	ClassSecurity         = "Security"
	ClassNodes            = "Nodes"
)

// Class is a named set of requirements.
type Class struct {
	// Name of the class.
	Name string
	// requires are the features that an implementation must have for this class.
	requires []v1alpha1.Feature
	// offers are features that belong to it, but may be missing.
	offers []v1alpha1.Feature
	// areas whose requirements belong to it, whatever their features.
	areas []string
	// OnNodes is true if only a cluster with nodes can show whether it is met.
	OnNodes bool
}

// Classes returns all conformance classes, in the order in which reports list them. A
// requirement that belongs to no other is Core.
func Classes() []Class {
	return []Class{
		{Name: ClassCore},
		{Name: ClassService, requires: []v1alpha1.Feature{v1alpha1.FeatureService}, offers: []v1alpha1.Feature{v1alpha1.FeaturePortDrift, v1alpha1.FeatureServiceURL}},
		{
			Name: ClassStatus, requires: []v1alpha1.Feature{v1alpha1.FeatureStatus},
			offers: []v1alpha1.Feature{v1alpha1.FeaturePhase, v1alpha1.FeatureConditions, v1alpha1.FeatureObservedGeneration, v1alpha1.FeatureErrorReporting, v1alpha1.FeaturePrinterColumns},
		},
		{
			Name: ClassObservability, requires: []v1alpha1.Feature{v1alpha1.FeatureEvents, v1alpha1.FeatureMetrics, v1alpha1.FeatureHealth},
			offers: []v1alpha1.Feature{v1alpha1.FeatureQueueMetrics, v1alpha1.FeatureStructuredLogs},
		},
		{
			Name: ClassHighAvailability, requires: []v1alpha1.Feature{v1alpha1.FeatureLeaderElection},
			offers: []v1alpha1.Feature{v1alpha1.FeatureReadyStandby, v1alpha1.FeatureLeaseRelease, v1alpha1.FeatureFenced},
		},
		{Name: ClassSecurity, offers: []v1alpha1.Feature{v1alpha1.FeatureLeastPrivilege, v1alpha1.FeatureRolesOnly}, areas: []string{"rbac"}},
		{Name: ClassNodes, areas: []string{"nodes"}, OnNodes: true},
	}
}

// ClassOf returns the class that a requirement belongs to: the last that names its area
// or one of its features. Required is true if the class is not met without it.
func ClassOf(r Requirement) (name string, required bool) {
	name, required = ClassCore, r.Level == Core
	for _, c := range Classes() {
		named := slices.ContainsFunc(r.Features, func(f v1alpha1.Feature) bool {
			return slices.Contains(c.requires, f) || slices.Contains(c.offers, f)
		})
		if !named && !slices.Contains(c.areas, r.Area) {
			continue
		}
		name = c.Name
		required = r.Level == Core || c.OnNodes && len(r.Features) == 0 && !r.OwnNodes || r.Level == Extended && r.Unowned == "" && r.Cleanup == "" && len(r.Features) > 0 &&
			!slices.ContainsFunc(r.Features, func(f v1alpha1.Feature) bool { return !slices.Contains(c.requires, f) })
	}
	return name, required
}
