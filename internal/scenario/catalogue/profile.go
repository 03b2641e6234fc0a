package catalogue

import (
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// The conformance profiles.
const (
	ProfileCore             = "Core"
	ProfileService          = "Service"
	ProfileStatus           = "Status"
	ProfileObservability    = "Observability"
	ProfileHighAvailability = "High availability"
	ProfileSecurity         = "Security"
	ProfileNodes            = "Nodes"
)

// Profile is a named set of requirements.
type Profile struct {
	// Name of the profile.
	Name string
	// requires are the features that an implementation must have for this profile.
	requires []v1alpha1.Feature
	// offers are features that belong to it, but may be missing.
	offers []v1alpha1.Feature
	// areas whose requirements belong to it, whatever their features.
	areas []string
	// OnNodes is true if only a cluster with nodes can show whether it is met.
	OnNodes bool
}

// Profiles returns all conformance profiles, in the order in which reports list them. A
// requirement that belongs to no other is Core.
func Profiles() []Profile {
	return []Profile{
		{Name: ProfileCore},
		{Name: ProfileService, requires: []v1alpha1.Feature{v1alpha1.FeatureService}, offers: []v1alpha1.Feature{v1alpha1.FeaturePortDrift, v1alpha1.FeatureServiceURL}},
		{
			Name: ProfileStatus, requires: []v1alpha1.Feature{v1alpha1.FeatureStatus},
			offers: []v1alpha1.Feature{v1alpha1.FeaturePhase, v1alpha1.FeatureConditions, v1alpha1.FeatureObservedGeneration, v1alpha1.FeatureErrorReporting, v1alpha1.FeaturePrinterColumns},
		},
		{
			Name: ProfileObservability, requires: []v1alpha1.Feature{v1alpha1.FeatureEvents, v1alpha1.FeatureMetrics, v1alpha1.FeatureHealth},
			offers: []v1alpha1.Feature{v1alpha1.FeatureQueueMetrics, v1alpha1.FeatureStructuredLogs},
		},
		{
			Name: ProfileHighAvailability, requires: []v1alpha1.Feature{v1alpha1.FeatureLeaderElection},
			offers: []v1alpha1.Feature{v1alpha1.FeatureReadyStandby, v1alpha1.FeatureLeaseRelease, v1alpha1.FeatureFenced},
		},
		{Name: ProfileSecurity, offers: []v1alpha1.Feature{v1alpha1.FeatureLeastPrivilege, v1alpha1.FeatureRolesOnly}, areas: []string{"rbac"}},
		{Name: ProfileNodes, areas: []string{"nodes"}, OnNodes: true},
	}
}

// ProfileOf returns the profile that a requirement belongs to: the last that names its area
// or one of its features. Required is true if the profile is not met without it.
func ProfileOf(r Requirement) (name string, required bool) {
	name, required = ProfileCore, r.Level == Core
	for _, p := range Profiles() {
		named := slices.ContainsFunc(r.Features, func(f v1alpha1.Feature) bool {
			return slices.Contains(p.requires, f) || slices.Contains(p.offers, f)
		})
		if !named && !slices.Contains(p.areas, r.Area) {
			continue
		}
		name = p.Name
		required = r.Level == Core || p.OnNodes && len(r.Features) == 0 && !r.OwnNodes || r.Level == Extended && r.Unowned == "" && r.Cleanup == "" && len(r.Features) > 0 &&
			!slices.ContainsFunc(r.Features, func(f v1alpha1.Feature) bool { return !slices.Contains(p.requires, f) })
	}
	return name, required
}
