package profile

import (
	"fmt"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Labels of a scenario that say which implementations it applies to.
const (
	// LabelFeature holds the features that a requirement needs, joined by dots.
	LabelFeature = "reconform.dev/feature"
	// LabelUnowned holds the ownership policy that it needs.
	LabelUnowned = "reconform.dev/unowned"
	// LabelCleanup holds who must remove the children.
	LabelCleanup = "reconform.dev/cleanup"
)

// Applies says whether a scenario with these labels applies to the
// implementation, and why not.
func (p *Profile) Applies(labels map[string]string) (applies bool, reason string) {
	if features := labels[LabelFeature]; features != "" {
		for feature := range strings.SplitSeq(features, ".") {
			if !p.Has(v1alpha1.Feature(feature)) {
				return false, fmt.Sprintf("feature %s is not claimed", feature)
			}
		}
	}
	if want := labels[LabelUnowned]; want != "" && want != string(p.Spec.Claims.Unowned) {
		return false, fmt.Sprintf("unowned: %s is not claimed", want)
	}
	if want := labels[LabelCleanup]; want != "" && want != p.Spec.Claims.Cleanup {
		return false, fmt.Sprintf("cleanup: %s is not claimed", want)
	}
	return true, ""
}
