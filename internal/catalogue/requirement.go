package catalogue

import (
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// FileName of a scenario in its folder, which is Chainsaw's.
const FileName = "chainsaw-test.yaml"

// Labels and annotations of a scenario.
const (
	LabelID      = "reconform.dev/id"
	LabelArea    = "reconform.dev/area"
	LabelLevel   = "reconform.dev/level"
	LabelFeature = "reconform.dev/feature"
	// LabelContract is for a requirement that belongs to one contract. Those without it
	// hold for all.
	LabelContract = "reconform.dev/contract"
	LabelUnowned  = "reconform.dev/unowned"
	LabelCleanup  = "reconform.dev/cleanup"
	// LabelOwnership and LabelUnless name claims of a sound design that a requirement
	// cannot be asked of.
	LabelOwnership = "reconform.dev/ownership"
	LabelUnless    = "reconform.dev/unless"
	LabelPods      = "reconform.dev/pods"
	// LabelRequires is for what only a cluster with nodes shows, and LabelInCluster for
	// what is shown there by the controller's own Pod only.
	LabelRequires  = "reconform.dev/requires"
	LabelInCluster = "reconform.dev/in-cluster"
	LabelSlow      = "reconform.dev/slow"
	LabelSerial    = "reconform.dev/serial"
	LabelWhole     = "reconform.dev/whole-run"
	// LabelWhereverSeen is for what must never happen, claimed or not: where what the
	// requirement is about is seen in its scenario, it is judged.
	LabelWhereverSeen = "reconform.dev/wherever-seen"

	AnnotationCatches = "reconform.dev/catches"
	AnnotationHint    = "reconform.dev/hint"
	// AnnotationProvokes names the invariants that a scenario has broken on
	// purpose, joined by commas.
	AnnotationProvokes = "reconform.dev/provokes"
	// AnnotationJudges names the invariants that a scenario is the home of, joined by
	// commas: where one is broken, these scenarios fail by it, and others are blocked.
	AnnotationJudges = "reconform.dev/judges"
	// AnnotationReliesOn names requirements, joined by commas, whose subject a scenario
	// uses to prove its own. Where one of them failed, a scenario that did not pass is
	// blocked by it.
	AnnotationReliesOn = "reconform.dev/relies-on"
	// AnnotationHomeOf names symptoms, joined by commas, that a scenario exists to
	// find. If it failed by one, it blocks others that failed by nothing else.
	AnnotationHomeOf = "reconform.dev/home-of"
	// AnnotationTakes says about how long a slow scenario takes, such as 40s: the
	// longest are started first.
	AnnotationTakes = "reconform.dev/takes"

	prefix = "reconform.dev/"
)

// The levels of requirements.
const (
	// Core requirements apply to every implementation.
	Core = "core"
	// Extended ones apply to those that claim what they name.
	Extended = "extended"
	// Advice applies to every implementation too, and no conformance profile requires it.
	// It fails only by what is beyond doubt, or not as the implementation claims itself.
	Advice = "advice"
)

// Requirement is one MUST, with the scenario that proves it.
type Requirement struct {
	// ID such as SH-001.
	ID string
	// Area such as self-healing.
	Area string
	// Level is Core, Extended or Advice.
	Level string
	// Contract that it belongs to; empty where it holds for all of them.
	Contract string
	// Features that an implementation must claim, all of them, for it to apply.
	Features []v1alpha1.Feature
	// Unowned is the ownership policy that it applies to; empty: any.
	Unowned v1alpha1.OwnershipPolicy
	// Cleanup says who removes the children where it applies; empty: anyone.
	Cleanup string
	// Ownership is how an implementation must know its children; empty: anyhow.
	Ownership v1alpha1.Ownership
	// Unless are features with which it does not apply, not even where it is core.
	Unless []v1alpha1.Feature
	// NeedsPods is true where Pods must become ready.
	NeedsPods bool
	// Nodes is true where only a cluster with nodes shows it, and InCluster where the
	// controller must run there, as its author ships it.
	Nodes, InCluster bool
	// Slow is true where the scenario keeps the whole machine busy. It runs when
	// the others have ended; -l 'slow!=true' leaves it out.
	Slow bool
	// Serial is true where the scenario changes what all others share, such as the
	// definition of the resource. It runs when the others have ended, too.
	Serial bool
	// WholeRun is true where it is judged by the requests of a whole run, of which its
	// scenario makes only some.
	WholeRun bool
	// WhereverSeen is true where it is also judged if its features are not claimed, and
	// are seen.
	WhereverSeen bool
	// Must is the requirement in words.
	Must string
	// Catches names the mistake that the scenario exists to catch.
	Catches string
	// Hint says where to look in a controller that fails it.
	Hint string
	// Provokes names the invariants that its scenario has broken on purpose: where they
	// are broken in it, that is no failure.
	Provokes []string
	// Judges names the invariants that it is the home of.
	Judges []string
	// ReliesOn are the IDs of requirements without which its scenario proves nothing.
	ReliesOn []string
	// HomeOf are the symptoms that its scenario exists to find.
	HomeOf []Home
	// Takes is roughly how long its scenario takes, if it says so.
	Takes time.Duration
	// Name of the Chainsaw test, which is the ID in lower case.
	Name string
	// Labels of the Chainsaw test.
	Labels map[string]string
	// Path of the scenario's file, slash-separated, from the folder that holds
	// all scenarios.
	Path string
	// Raw is that file. The step templates that it uses are beside it.
	Raw []byte
}

// Alone says whether the scenario runs by itself, when the others have ended.
func (r *Requirement) Alone() bool { return r.Slow || r.Serial }

// Patient says whether the scenario takes minutes and waits for most of them, so that it
// runs beside all others.
func (r *Requirement) Patient() bool { return r.Takes > time.Minute && !r.Alone() }

// Claim is what an implementation must claim for the requirement to apply, in
// words; empty for core.
func (r *Requirement) Claim() string {
	var claims []string
	for _, feature := range r.Features {
		claims = append(claims, string(feature))
	}
	if r.Unowned != "" {
		claims = append(claims, "unowned: "+string(r.Unowned))
	}
	if r.Cleanup != "" {
		claims = append(claims, "cleanup: "+r.Cleanup)
	}
	return strings.Join(claims, ", ")
}

// Exception is what an implementation may claim with which the requirement does not apply,
// in words; empty for none.
func (r *Requirement) Exception() string {
	var exceptions []string
	if r.Ownership == v1alpha1.OwnershipByReference {
		exceptions = append(exceptions, "ownership: "+string(v1alpha1.OwnershipByLabels))
	}
	for _, feature := range r.Unless {
		exceptions = append(exceptions, string(feature))
	}
	return strings.Join(exceptions, ", ")
}

// Applies says whether a requirement applies to an implementation with these
// claims, and why not.
func Applies(r Requirement, claims v1alpha1.Claims) (applies bool, reason string) {
	for _, feature := range r.Features {
		if !slices.Contains(claims.Features, feature) {
			return false, "feature " + string(feature) + " is not claimed"
		}
	}
	if r.Unowned != "" && claims.Unowned != r.Unowned {
		return false, "unowned: " + string(r.Unowned) + " is not claimed"
	}
	if r.Cleanup != "" && claims.Cleanup != r.Cleanup {
		return false, "cleanup: " + r.Cleanup + " is not claimed"
	}
	if r.Ownership != "" && claims.Ownership == v1alpha1.OwnershipByLabels {
		return false, "ownership: labels is claimed, and it is about owner references"
	}
	for _, feature := range r.Unless {
		if slices.Contains(claims.Features, feature) {
			return false, "feature " + string(feature) + " is claimed, with which it does not apply"
		}
	}
	return true, ""
}

// Unclaimed are the features without which a requirement does not apply, where that is
// all that is missing, and it is judged wherever they are seen.
func Unclaimed(r Requirement, claims v1alpha1.Claims) []v1alpha1.Feature {
	if !r.WhereverSeen {
		return nil
	}
	missing := slices.DeleteFunc(slices.Clone(r.Features), func(f v1alpha1.Feature) bool {
		return slices.Contains(claims.Features, f)
	})
	claims.Features = slices.Concat(claims.Features, missing)
	if applies, _ := Applies(r, claims); !applies {
		return nil
	}
	return missing
}
