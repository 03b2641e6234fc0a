package infer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// cannotDepend says why Pods need not become others if the content of a ConfigMap changes that
// an object names, or returns "". Another name in the object is another spec; the content is
// not.
func (f *finder) cannotDepend() string {
	if profile.Ends(f.workload) {
		return fmt.Sprintf("a %s that has finished need not be made again", f.workload.Kind)
	}
	asks := slices.ContainsFunc(f.Account.Requests, func(q history.Request) bool {
		reads := q.Verb == history.VerbGet || q.Verb == history.VerbList || q.Verb == history.VerbWatch
		return reads && q.Group == "" && q.Resource == "configmaps" && !q.Lock
	})
	if !asks {
		return "the controller never reads or watches ConfigMaps, so it cannot know of it"
	}
	return ""
}

// findFeatures claims only what was seen or read, because a scenario accuses a controller
// of what it claims without having it.
func (f *finder) findFeatures() {
	contract := f.Spec.Contract
	if contract.Children.Service != nil {
		f.claim(v1alpha1.FeatureService, Seen, "Service %s was made", f.service.GetName())
	}
	for role, feature := range map[Role]v1alpha1.Feature{RolePort: v1alpha1.FeaturePort, RoleEnv: v1alpha1.FeatureEnv, RoleConfigMapRef: v1alpha1.FeatureDependency} {
		m, ok := f.fields[role]
		if !ok {
			continue
		}
		if taken := f.portTaken(m); role == RolePort && taken > 0 {
			f.askClaim(string(feature), ", as the container has the port %d in another place than that of %s. Requirements give the field %d and then %d, "+
				"and ask that the first is gone: they cannot tell the two ports apart", taken, m.Field.Path, scenarioPorts[0], scenarioPorts[1])
			continue
		}
		if why := f.cannotDepend(); role == RoleConfigMapRef && why != "" {
			f.askClaim(string(feature), ", although %s: %s. Requirements change the content of the ConfigMap, and ask for other Pods", m.inWords(), why)
			continue
		}
		f.claim(feature, Seen, "%s", m.inWords())
	}
	f.findRenames()
	if contract.Defaults.Replicas != nil || contract.Defaults.Port != nil {
		f.claim(v1alpha1.FeatureDefaults, Read, "the CRD has them")
	}
	if contract.Bounds.Replicas != nil && contract.Spec.Replicas.Format == "" || contract.Bounds.Port != nil {
		f.claim(v1alpha1.FeatureBounds, Read, "the CRD has them")
	}
	if len(contract.PrinterColumns) > 0 {
		f.claim(v1alpha1.FeaturePrinterColumns, Seen, "the CRD has them, and they were filled")
	}
	f.findDescribed()
	for feature, field := range map[v1alpha1.Feature]*v1alpha1.Field{
		v1alpha1.FeatureStatus: contract.Status.ReadyReplicas, v1alpha1.FeaturePhase: contract.Status.Phase, v1alpha1.FeatureConditions: contract.Status.Conditions,
		v1alpha1.FeatureServiceURL: contract.Status.ServiceURL, v1alpha1.FeatureObservedGeneration: contract.Status.ObservedGeneration,
	} {
		if field == nil || feature == v1alpha1.FeatureServiceURL && contract.Children.Service == nil {
			continue
		}
		path := map[v1alpha1.Feature]string{
			v1alpha1.FeatureStatus: "readyReplicas", v1alpha1.FeaturePhase: "phase", v1alpha1.FeatureConditions: "conditions", v1alpha1.FeatureServiceURL: "serviceURL", v1alpha1.FeatureObservedGeneration: "observedGeneration",
		}[feature]
		f.claim(feature, Seen, "%s", f.Notes["contract.status."+path].Text)
	}
	f.findScope()
	f.findHabits()
	if claims := f.Spec.Claims; claims.Events != nil && claims.Events.Created != "" {
		f.claim(v1alpha1.FeatureEvents, Seen, "an Event %s told of a child that was made", claims.Events.Created)
	}
	f.findElectionFeatures()
	f.findEnd()
	f.findRecovery()
	slices.SortFunc(f.Spec.Claims.Features, cmp.Compare[v1alpha1.Feature])
	f.askUntried()
}

// scenarioPorts are what requirements give to the field of the port, one after the other.
var scenarioPorts = [...]int64{8080, 9090}

// portTaken returns one of these ports, if the container has it in a place that the field did
// not decide about. It returns 0 if there is none.
func (f *finder) portTaken(field mapped) int64 {
	if taken := taken(f.deployment, containersAt(f.workload)+"["+f.container+"].ports", field); taken > 0 {
		return taken
	}
	return f.takenAfter(field)
}

// findDescribed claims that the CRD describes its fields.
func (f *finder) findDescribed() {
	if f.Version.Schema == nil {
		return
	}
	for _, section := range []string{"spec", "status"} {
		schema := f.Version.Schema.OpenAPIV3Schema.Properties[section]
		if lacks := undescribed(&schema, section); lacks != "" || len(schema.Properties) == 0 {
			lacks = cmp.Or(lacks, "the fields of "+section)
			f.askClaim("described", ": the CRD does not describe all fields: it has no description for %s, for example", lacks)
			return
		} else if section == "status" {
			f.claim(v1alpha1.FeatureDescribed, Read, "the CRD describes all fields")
		}
	}
}

// findElectionFeatures claims what was seen of an election.
func (f *finder) findElectionFeatures() {
	e, _, ok := f.election()
	if !ok {
		return
	}
	f.claim(v1alpha1.FeatureLeaderElection, Seen, "it held Lease %s", e.Lease.Name)
	if e.Released {
		f.claim(v1alpha1.FeatureLeaseRelease, Seen, "after SIGTERM nobody held the Lease")
	}
}

// untried are features that a short look does not show.
func untried() []v1alpha1.Feature {
	return []v1alpha1.Feature{
		"concurrent-workers", "fenced", "foreign-conditions", "foreign-fields", "independent-children", "least-privilege", "loose-schema",
		"paged-lists", "port-drift", "ready-standby", "retry-after", "roles-only", "survives-silence", "truthful-readyz",
	}
}

// askUntried asks about the features that were not tried.
func (f *finder) askUntried() {
	var lines []string
	for _, feature := range untried() {
		lines = append(lines, "- "+string(feature))
	}
	f.offer("claims.features", lines, "these were not tried, and docs/verdict.md says what each promises: which does it keep?")
}

func (f *finder) findRenames() {
	m, ok := f.fields[RoleDeploymentName]
	if !ok {
		return
	}
	if m.Act.Anew {
		f.askClaim("renames", ": a change of %s was refused", m.Act.Path)
	} else if f.Film.At(m.Act.Until)[f.main] == nil {
		f.claim(v1alpha1.FeatureRenames, Seen, "%s, and %s went", m.inWords(), f.main)
	} else {
		f.askClaim("renames", ": when another name was given, %s stayed", f.main)
	}
}

// findQuiet claims that the controller sends no write that changes nothing, and none at rest.
// Leases, Events and reviews do not count, as in the requirements.
func (f *finder) findQuiet() {
	rest, ok := f.act(Rest)
	if !ok {
		return
	}
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

// findHabits claims features that the requests show.
func (f *finder) findHabits() {
	for _, owner := range f.deployment.GetOwnerReferences() {
		if owner.Kind == f.Kind && owner.Controller != nil && *owner.Controller {
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

// findEnd claims what was seen when the process ended.
func (f *finder) findEnd() {
	for _, e := range f.Account.Events {
		if e.Reason == history.ReplicaInterrupted && e.Took.Duration < usualGrace && !strings.Contains(e.Message, "SIGKILL") {
			f.claim(v1alpha1.FeatureSIGINT, Seen, "SIGINT ended it in %s", e.Took.Duration.Round(1e6))
			return
		}
	}
	if _, tried := f.act(Interrupt); tried {
		f.askClaim("sigint", ": SIGINT did not end it")
	} else {
		f.askClaim("sigint", ", as it was not tried: does SIGINT end it?")
	}
}

// recovered tells whether a refused main child was made after it was allowed.
func (f *finder) recovered() bool {
	act, ok := f.act(Unhinder)
	return ok && f.Made(act)
}

// findRecovery claims what was seen after a refused main child was allowed.
func (f *finder) findRecovery() {
	if f.recovered() {
		f.claim(v1alpha1.FeatureSelfRecovery, Seen, "a %s that a policy refused was made when it was allowed", f.workload.Kind)
	}
	act, ok := f.act(Hinder)
	if !ok {
		return
	}
	for _, line := range f.Log {
		var fields map[string]any
		if strings.Contains(strings.ToLower(line), "err") && json.Unmarshal([]byte(line), &fields) == nil && names(fields, act.Object) {
			f.claim(v1alpha1.FeatureStructuredLogs, Seen, "it wrote of the refusal as one line of JSON")
			return
		}
	}
}

// names tells whether a field of a log line has an object's name as its value.
func names(fields map[string]any, object string) bool {
	return slices.ContainsFunc(Leaves(fields, ""), func(leaf Leaf) bool {
		text, _ := leaf.Value.(string)
		return text == object || strings.HasSuffix(text, "/"+object)
	})
}
