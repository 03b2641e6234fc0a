package infer

import (
	"fmt"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// compareEvents looks for the declared reasons.
func (c *comparison) compareEvents() {
	declared := c.claimed.Spec.Claims.Events
	if declared == nil {
		return
	}
	seen := map[string]bool{}
	for _, act := range c.Acts {
		for _, e := range c.eventsDuring(act) {
			seen[e.reason] = true
		}
	}
	for _, reason := range []struct{ name, reason string }{
		{"created", declared.Created}, {"updated", declared.Updated}, {"failed", declared.Failed},
	} {
		if reason.reason != "" && !seen[reason.reason] {
			c.add("spec.claims.events."+reason.name, "no Event had the reason %s; reasons that were seen: %s", reason.reason, orNone(sorted(seen)))
		}
	}
}

// sure returns the features that a visit cannot miss, each with a text for the case that it
// was not seen.
func sure() map[v1alpha1.Feature]string {
	return map[v1alpha1.Feature]string{
		v1alpha1.FeatureService:       "no Service was made for its Pods",
		v1alpha1.FeatureControllerRef: "no owner reference of its main child has controller: true",
		v1alpha1.FeatureChildCache:    "it watched none of what its main child is one of",
		v1alpha1.FeatureFinalizer:     "its objects had no finalizer while it removed their children",
		v1alpha1.FeatureDescribed:     "the CRD does not describe all fields",
	}
}

// behaviour returns features that a visit sees too, but that scenarios judge better.
func behaviour() map[v1alpha1.Feature]string {
	return map[v1alpha1.Feature]string{
		v1alpha1.FeatureQuiet:          "it wrote though nothing was to be changed",
		v1alpha1.FeatureSIGINT:         "SIGINT did not end it",
		v1alpha1.FeatureLeaseRelease:   "after SIGTERM somebody still held the Lease",
		v1alpha1.FeatureRenames:        "the child of the old name stayed, or none of the new name came",
		v1alpha1.FeatureSelfRecovery:   "a child that was refused was not made when it was allowed",
		v1alpha1.FeatureErrorReporting: "no condition changed while its child could not be made",
	}
}

// compareFeatures looks for the claimed features.
func (c *comparison) compareFeatures() {
	for i, feature := range c.claimed.Spec.Claims.Features {
		text, known := sure()[feature]
		reporting := c.claimed.Spec.Claims.Reporting
		if feature == v1alpha1.FeatureErrorReporting && (reporting == nil || reporting.Condition == nil) {
			continue // by Events
		}
		// A controller that has a cache may still read from the API server now and
		// then.
		if feature == v1alpha1.FeatureChildCache {
			if watches, _, _ := c.childrenRead(); watches {
				continue
			}
		}
		add := c.add
		if !known {
			text, known = behaviour()[feature]
			add = c.addJudged
		}
		if known && !slices.Contains(c.Spec.Claims.Features, feature) {
			add(fmt.Sprintf("spec.claims.features[%d]", i), "%s is claimed, and %s", feature, text)
		}
	}
}
