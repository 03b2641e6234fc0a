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

// cannotDepend says why a change of the content of a ConfigMap that an object names need not lead
// to new Pods, or returns "".
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
	for _, s := range []struct {
		feature v1alpha1.Feature
		field   *v1alpha1.Field
		name    string
	}{
		{v1alpha1.FeatureStatus, contract.Status.ReadyReplicas, "readyReplicas"},
		{v1alpha1.FeaturePhase, contract.Status.Phase, "phase"},
		{v1alpha1.FeatureConditions, contract.Status.Conditions, "conditions"},
		{v1alpha1.FeatureServiceURL, contract.Status.ServiceURL, "serviceURL"},
		{v1alpha1.FeatureObservedGeneration, contract.Status.ObservedGeneration, "observedGeneration"},
	} {
		if s.field == nil || s.feature == v1alpha1.FeatureServiceURL && contract.Children.Service == nil {
			continue
		}
		f.claim(s.feature, Seen, "%s", f.Notes["contract.status."+s.name].Text)
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

// portTaken returns one of scenarioPorts that the container uses in a place that the field does
// not set, or 0.
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
