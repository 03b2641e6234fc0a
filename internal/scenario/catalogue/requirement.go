package catalogue

import (
	"io/fs"
	"slices"
	"strings"
	"time"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// fileName of a scenario in its folder, as Chainsaw names it.
const fileName = "chainsaw-test.yaml"

// Labels and annotations of a scenario.
const (
	LabelID      = "reconform.dev/id"
	LabelArea    = "reconform.dev/area"
	LabelLevel   = "reconform.dev/level"
	LabelFeature = "reconform.dev/feature"
	// LabelContract is for a requirement that belongs to one contract. Without it, the
	// requirement holds for all.
	LabelContract = "reconform.dev/contract"
	LabelUnowned  = "reconform.dev/unowned"
	LabelCleanup  = "reconform.dev/cleanup"
	// LabelOwnership and LabelUnless name claims of a sound design that cannot meet the
	// requirement.
	LabelOwnership = "reconform.dev/ownership"
	LabelUnless    = "reconform.dev/unless"
	// LabelPods marks what needs Pods that become ready (true), or even Pods that keep running
	// (running).
	LabelPods = "reconform.dev/pods"
	// LabelRequires says what a scenario needs: a cluster with nodes (nodes), Node objects,
	// also without a kubelet (node-objects), or nodes that the scenario itself makes and loses
	// (own-nodes). LabelInCluster is for what shows on nodes only if the controller runs as
	// its own Pod.
	LabelRequires  = "reconform.dev/requires"
	LabelInCluster = "reconform.dev/in-cluster"
	LabelSlow      = "reconform.dev/slow"
	LabelSerial    = "reconform.dev/serial"
	LabelWhole     = "reconform.dev/whole-run"
	// LabelWhereverSeen is for what must never happen, claimed or not: the requirement is
	// judged if its scenario shows what it is about.
	LabelWhereverSeen = "reconform.dev/wherever-seen"
	// LabelAny is for a requirement that is also judged if the profile has no contract: with
	// what the controller serves, and edits of it. If it is as-written, it is about the
	// controller's own objects already.
	LabelAny = "reconform.dev/any"

	AnnotationCatches = "reconform.dev/catches"
	AnnotationHint    = "reconform.dev/hint"
	// AnnotationProvokes names the invariants, joined by commas, that a scenario makes the
	// controller break on purpose.
	AnnotationProvokes = "reconform.dev/provokes"
	// AnnotationJudges names the invariants, joined by commas, that this scenario is there to
	// judge. If one is broken, this scenario fails, and other scenarios are blocked.
	AnnotationJudges = "reconform.dev/judges"
	// AnnotationReliesOn names requirements, joined by commas, whose subject a scenario uses
	// to prove its own. If one of them failed, and the scenario did not pass, the scenario is
	// blocked.
	AnnotationReliesOn = "reconform.dev/relies-on"
	// AnnotationHomeOf names symptoms, joined by commas, that a scenario is there to find. If
	// it fails by one, it blocks other scenarios that failed only by the same symptom.
	AnnotationHomeOf = "reconform.dev/home-of"
	// AnnotationWhereMapped names fields of a WebApp's spec, joined by commas. If a
	// scenario changes several fields at once, and an implementation cannot change one
	// of these, the scenario changes the others.
	AnnotationWhereMapped = "reconform.dev/where-mapped"
	// AnnotationTakes says how long a slow scenario takes, roughly, such as 40s. The longest
	// are started first.
	AnnotationTakes = "reconform.dev/takes"

	prefix = "reconform.dev/"
)

// The levels of requirements.
const (
	// Core requirements apply to every implementation.
	Core = "core"
	// Extended requirements apply to implementations that claim the features that they name.
	Extended = "extended"
	// Advice applies to every implementation, too, but no conformance class requires it. It
	// fails only if there is no doubt, or if the implementation breaks its own claim.
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
	// Contract that it belongs to; empty if it holds for all of them.
	Contract string
	// Features that an implementation must claim, all of them; otherwise it does not apply.
	Features []v1alpha1.Feature
	// Unowned is the ownership policy that it applies to; empty means any.
	Unowned v1alpha1.OwnershipPolicy
	// Cleanup says who must remove the children for it to apply; empty means anyone.
	Cleanup string
	// Ownership is how an implementation must know its children; empty means any way.
	Ownership v1alpha1.Ownership
	// Unless are features with which it does not apply, even if it is core.
	Unless []v1alpha1.Feature
	// NeedsPods is true if Pods must become ready.
	NeedsPods bool
	// Nodes is true if it shows only on a cluster with nodes, and InCluster if the controller
	// must run there as its author ships it.
	Nodes, InCluster bool
	// NodeObjects is true if it is about nodes, and needs no kubelet: it is also judged on the
	// local control plane.
	NodeObjects bool
	// OwnNodes is true if the scenario makes nodes and loses them: it is judged on the local
	// control plane only.
	OwnNodes bool
	// Slow is true if the scenario keeps the machine busy. Only some of these run at the same
	// time; -l 'slow!=true' leaves them out.
	Slow bool
	// Serial is true if the scenario changes what all others share, such as the definition of
	// the resource. It runs alone, after the others.
	Serial bool
	// WholeRun is true if it is judged by the requests of a whole run, because its own
	// scenario makes only some of them.
	WholeRun bool
	// WhereverSeen is true if it is also judged when its features are not claimed, but seen.
	WhereverSeen bool
	// Any is true if it can be judged without a contract.
	Any bool
	// Must is the text of the requirement.
	Must string
	// Catches names the mistake that the scenario is there to catch.
	Catches string
	// Hint says where to look in a controller that fails it.
	Hint string
	// Provokes names the invariants that its scenario makes the controller break on purpose.
	// If they are broken there, that is not a failure.
	Provokes []string
	// Judges names the invariants that it is there to judge.
	Judges []string
	// ReliesOn are the IDs of requirements without which its scenario proves nothing.
	ReliesOn []string
	// HomeOf are the symptoms that its scenario is there to find.
	HomeOf []Home
	// Takes is roughly how long its scenario takes, if it says so.
	Takes time.Duration
	// Name of the Chainsaw test, which is the ID in lower case.
	Name string
	// Labels of the Chainsaw test.
	Labels map[string]string
	// Path of the scenario's file, with slashes, relative to the folder of all scenarios.
	Path string
	// Source is that folder.
	Source fs.FS
	// Raw is the content of that file. The step templates that it uses are in the same
	// folder.
	Raw []byte
}

// Claim says in words what an implementation must claim for the requirement to apply; empty
// for core.
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

// Exception says in words with which claims of an implementation the requirement does not
// apply; empty if there are none.
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

// Applies tells whether a requirement applies to an implementation with these claims, and
// if not, why.
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

// Unclaimed returns the features without which a requirement does not apply, if nothing
// else is missing and the requirement is judged wherever they are seen.
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
