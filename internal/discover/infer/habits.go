package infer

import (
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// findHabits claims features that the requests show.
func (f *finder) findHabits() {
	for _, owner := range f.deployment.GetOwnerReferences() {
		if f.Owns(owner, owner.Name) && owner.Controller != nil && *owner.Controller {
			f.claim(v1alpha1.FeatureControllerRef, Seen, "the owner reference of %s has controller: true", f.main)
		}
	}
	switch watches, _, reads := f.childrenRead(); {
	case watches && reads == 0:
		f.claim(v1alpha1.FeatureChildCache, Seen, "it watches %ss, and reads none one by one", f.workload.Kind)
	case watches:
		f.askClaim("child-cache", ": it watches %ss, and yet reads them one by one, %d times", f.workload.Kind, reads)
	}
	f.findQuiet()
	if finalizer := f.ownFinalizer(); finalizer != "" && f.Spec.Claims.Cleanup == "controller" {
		f.claim(v1alpha1.FeatureFinalizer, Seen, "it put the finalizer %s on %s", finalizer, f.first.Object)
	}
	if ref, copied := f.copiedTo(); copied {
		f.claim(v1alpha1.FeaturePropagatesMetadata, Seen, "a label or an annotation of the %s was copied to %s", f.Kind, ref)
	}
}

// findQuiet claims that the controller sends no write that changes nothing, and none at rest.
// Leases, Events and reviews do not count, as in the requirements.
func (f *finder) findQuiet() {
	rest, ok := f.act(Rest)
	if !ok {
		return
	}
	f.doubtRest(rest)
	noops, writes := 0, 0
	for _, q := range f.Account.Requests {
		if q.Effect == history.EffectNoop && history.Matches(v1alpha1.RequestMatch{}, q) {
			noops++
		}
	}
	for _, q := range f.during(rest) {
		if q.Effect != history.EffectNone && history.Matches(v1alpha1.RequestMatch{}, q) {
			writes++
		}
	}
	if noops == 0 && writes == 0 {
		f.claim(v1alpha1.FeatureQuiet, Seen, "it wrote nothing that changed nothing, and nothing at rest")
	} else {
		f.askClaim("quiet", ": %d of its writes changed nothing, and %d came at rest", noops, writes)
	}
}

// restless is how many changes of one object, in the few seconds in which nothing was done, are
// no heartbeat.
const restless = 10

// doubtRest says that the controller wrote the same fields of an object again and again, or back
// and forth, while nothing was done.
func (f *finder) doubtRest(rest Act) {
	writes := map[string][]history.Request{}
	for _, q := range f.during(rest) {
		if q.Verb != history.VerbUpdate || q.Effect != history.EffectEffective || !history.Matches(v1alpha1.RequestMatch{}, q) {
			continue
		}
		what := strings.Join(q.Changed, " and ") + " of " + q.GroupResource().String() + " " + q.Name
		writes[what] = append(writes[what], q)
		switch n := len(writes[what]); {
		case n == restless:
			f.doubt("claims.features", "with nothing to do, it changed %s again and again: does the event of its own write bring it back, and is a time in it new each time? "+
				"SS-001 judges that. Write an object only if something else in it than a time differs, and a condition's lastTransitionTime only if its status changes", what)
			return
		case n >= leastOfBeats && comesBack(writes[what]):
			f.doubt("claims.features", "with nothing to do, it changed %s back and forth: do two parts of it, or two processes, write the same field? SS-001 judges that", what)
			return
		}
	}
}

// copiedTo returns a child to which a label or an annotation of its object was copied.
func (r *Record) copiedTo() (child Ref, copied bool) {
	for _, label := range r.acts(Label) {
		at := r.Film.At(label.Until)
		for _, ref := range sortedRefs(at) {
			if ref.Kind != r.Kind && ref.Kind != "Event" && hasProbe(at[ref].Object) {
				return ref, true
			}
		}
	}
	return Ref{}, false
}

// hasProbe tells whether labels or annotations below a value (those of a Pod template, for
// example) hold the value that the first object was labelled with, under any key.
func hasProbe(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		for key, below := range v {
			fields, _ := below.(map[string]any)
			if key == "labels" || key == "annotations" {
				for _, text := range fields {
					if text == ProbeValue {
						return true
					}
				}
			}
			if hasProbe(below) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, hasProbe)
	}
	return false
}

// ProbeLabel is the key of a label and an annotation that mean nothing. ProbeValue is their
// value.
const (
	ProbeLabel = "reconform.dev/look"
	ProbeValue = "reconform-look-label"
)

// ownFinalizer returns a finalizer that the controller put on the first object, or "". Others
// may put one on, too.
func (f *finder) ownFinalizer() string {
	for _, q := range f.Account.Requests {
		if f.isPrimary(q) && q.Name == f.first.Object && q.Effect == history.EffectEffective && len(q.Finalizers) > 0 {
			return q.Finalizers[0]
		}
	}
	return ""
}

// isPrimary tells whether a request is about objects of the primary resource.
func (r *Record) isPrimary(q history.Request) bool {
	return q.Group == r.CRD.Spec.Group && q.Resource == r.CRD.Spec.Names.Plural
}
