package infer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/jsonpath"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// findStatus maps the status.
func (f *finder) findStatus() {
	f.status = f.Record.status(f.service)
	s, into := f.status, &f.Spec.Contract.Status
	for _, field := range []struct {
		name, path string
		into       **v1alpha1.Field
	}{
		{"readyReplicas", s.Ready, &into.ReadyReplicas},
		{"phase", s.Phase, &into.Phase},
		{"serviceURL", s.URL, &into.ServiceURL},
		{"conditions", s.Conditions, &into.Conditions},
		{"observedGeneration", s.Generation, &into.ObservedGeneration},
	} {
		path := "contract.status." + field.name
		switch {
		case field.name == "readyReplicas" && f.standsIn: // the number that stands in is not a number of Pods
		case field.path == "" && field.name == "phase":
			f.findOtherPhase(path)
		case field.path == "" && field.name == "readyReplicas" && s.TooEarly != "":
			into.ReadyReplicas = &v1alpha1.Field{Path: s.TooEarly}
			f.note(path, Seen, "%s", s.Notes[s.TooEarly])
			f.doubt(path, "%s was the wanted number of Pods also while fewer were ready. ST-001 judges that. "+
				"If it is not meant to count ready Pods, take readyReplicas and the feature status out of the profile", s.TooEarly)
		case field.path == "" && field.name == "readyReplicas" && s.Behind != "":
			f.offer(path, []string{fmt.Sprintf("readyReplicas: {path: %s}", s.Behind)}, "%s does not follow the number of ready Pods: %s. Is that a mistake? "+
				"If it must count them, write readyReplicas: {path: %[1]s}, and features: status; then ST-001 judges it", s.Behind, s.Notes[s.Behind])
		case field.path == "":
			f.askStatus(field.name)
		default:
			*field.into = &v1alpha1.Field{Path: field.path}
			text := s.Notes[field.path]
			if field.name == "conditions" {
				text = "the types were " + strings.Join(f.conditionTypes(), ", ")
			}
			f.note(path, Seen, "%s", text)
		}
	}
	if s.Phase == "" {
		return
	}
	phases := s.Phases
	others := []string{"", "Degraded", "Running", "Deploying", "Pending", phases["Running"], phases["Deploying"], phases["Pending"]}
	if worst := f.troubles(s).phase; !slices.Contains(others, worst) {
		phases["Degraded"] = worst
	}
	if len(phases) > 0 {
		f.Spec.Contract.Phases = phases
		f.note("contract.phases", Guessed, "from the moments at which they were seen: check that they mean this")
	}
}

// findOtherPhase maps the phase to a condition, if no field was seen that has the words of a
// phase, or asks for it.
func (f *finder) findOtherPhase(path string) {
	switch s := f.status; {
	case s.PhaseCondition != "":
		f.Spec.Contract.Status.Phase = &v1alpha1.Field{Condition: &v1alpha1.ConditionStatus{Type: s.PhaseCondition, Status: "True"}}
		f.note(path, Seen, "it was True once all Pods were ready, and not before")
	case len(s.Outlived) > 0:
		f.askOutlived(path)
	case len(s.Early) > 0:
		f.askEarly(path)
	default:
		f.askStatus("phase")
	}
}

func (f *finder) conditionTypes() []string {
	seen := map[string]bool{}
	for _, m := range f.moments() {
		for kind := range conditionsOf(m.primary, f.status.Conditions) {
			seen[kind] = true
		}
	}
	return sorted(seen)
}

// findSchema reads defaults, bounds and columns in the CRD.
func (f *finder) findSchema() {
	contract := &f.Spec.Contract
	contract.Defaults.Replicas, contract.Bounds.Replicas = fromSchema(f.Version, contract.Spec.Replicas)
	contract.Defaults.Port, contract.Bounds.Port = fromSchema(f.Version, contract.Spec.Port)
	f.note("contract.defaults", Read, "the CRD")
	f.note("contract.bounds", Read, "the CRD")
	if contract.Spec.Replicas != nil && contract.Spec.Replicas.Format != "" && !f.standsIn {
		const lastMinute = 59
		contract.Bounds.Replicas = &v1alpha1.Range{Maximum: lastMinute}
		f.note("contract.bounds", Read, "the minutes of a schedule")
	}
	quiet, ok := f.act(Rest) // what runs at first has ended by then
	if !ok {
		quiet = f.first
	}
	settled := f.Film.At(quiet.Until)[Ref{f.Kind, f.first.Object}]
	var blank []string
	for _, column := range f.Version.AdditionalPrinterColumns {
		switch {
		case column.Priority > 0 || settled == nil:
		case filled(settled.Object, column.JSONPath):
			contract.PrinterColumns = append(contract.PrinterColumns, column.Name)
		default:
			blank = append(blank, column.Name)
		}
	}
	f.note("contract.printerColumns", Seen, "these were filled")
	if len(blank) > 0 {
		f.note("contract.printerColumns", Seen, "these were filled; empty were %s", strings.Join(blank, ", "))
	}
}

func filled(object map[string]any, path string) bool {
	j := jsonpath.New("column").AllowMissingKeys(true)
	if j.Parse("{"+path+"}") != nil {
		return false
	}
	results, err := j.FindResults(object)
	if err != nil || len(results) == 0 || len(results[0]) == 0 {
		return false
	}
	value := results[0][0].Interface()
	return value != nil && value != "" // null is written as <none>
}

// findOwnership tells how the children are marked as belonging to their object, and who
// removes them.
func (f *finder) findOwnership() {
	claims := &f.Spec.Claims
	claims.Ownership = v1alpha1.OwnershipByLabels
	for _, owner := range f.deployment.GetOwnerReferences() {
		if f.Owns(owner, f.first.Object) {
			claims.Ownership = v1alpha1.OwnershipByReference
		}
	}
	if claims.Ownership == v1alpha1.OwnershipByReference {
		f.note("claims.ownership", Seen, "%s has an owner reference", f.main)
	} else {
		f.note("claims.ownership", Seen, "%s has no owner reference to its %s", f.main, f.Kind)
	}
	f.findCleanup()
	f.findUnowned()
}

// findCleanup tells who removes the children of a deleted object.
func (f *finder) findCleanup() {
	claims := &f.Spec.Claims
	deleted, ok := f.act(Delete)
	switch {
	case !ok && claims.Ownership == v1alpha1.OwnershipByLabels:
		claims.Cleanup = "controller"
		f.note("claims.cleanup", Guessed, "no deletion was seen, and the garbage collector removes nothing that has no owner reference")
		return
	case !ok:
		claims.Cleanup = "gc"
		f.note("claims.cleanup", Guessed, "no deletion was seen")
		return
	}
	claims.Cleanup = "gc"
	f.note("claims.cleanup", Seen, "it deleted no child of a deleted %s", f.Kind)
	before := f.Film.At(deleted.After)
	for _, q := range f.during(deleted) {
		// A Job that cleans up, for example, is made during the deletion, and is no such child.
		// A deletion of all that have certain labels names none: it removed something.
		was := before[Ref{f.workload.Kind, q.Name}] != nil || q.Name == "" && len(ofKind(slices.Collect(maps.Values(before)), f.workload.Kind)) > 0
		if q.Verb == history.VerbDelete && isOf(q, f.workload) && q.Effect == history.EffectEffective && was {
			claims.Cleanup = "controller"
			f.note("claims.cleanup", Seen, "%s", q.InWords())
		}
	}
}

// findUnowned tells what becomes of an object that has the name of a child and that nobody
// owns.
func (f *finder) findUnowned() {
	claims, seen := &f.Spec.Claims, f.unowned()
	claims.Unowned = seen.policy
	switch act, _ := f.act(Occupy); {
	case seen.overwritten != "":
		text := fmt.Sprintf("a %s that nobody owns had the name of the child of %s. The controller neither left it alone nor became its owner (%s): "+
			"so it changes what is somebody else's, and what it changed is no child of its %s", f.workload.Kind, act.Object, seen.overwritten, f.Kind)
		f.note("claims.unowned", Guessed, "it did neither: such a %s was changed, and did not become a child. IS-003 judges that", f.workload.Kind)
		f.Doubts = append(f.Doubts, Doubt{
			Path: "claims.unowned",
			Text: text + ". The profile says refuse, so IS-003 judges that. If it should take over such objects, it must set the owner reference when it updates, too: " +
				"write adopt, and SH-006 judges that",
			Claimed: text + ". IS-003 judges that with unowned: refuse, and SH-006 with adopt",
		})
	case seen.tried != "":
		f.note("claims.unowned", Guessed, "it tried to write a %s that nobody owns and that has the name of its child, and the API server refused this: %s; "+
			"would it take over one that is valid? If not, write refuse", f.workload.Kind, seen.tried)
	case claims.Unowned == "":
		claims.Unowned = v1alpha1.OwnershipRefuse
		f.note("claims.unowned", Guessed, "what does it do with a %s that has the name of a child and that nobody owns? If it becomes a child, write adopt", f.workload.Kind)
	case seen.byLabels:
		disowned, _ := f.act(Disown)
		f.note("claims.unowned", Seen, "it knows its children by their labels: the %s of %s lost its owner reference, and got it again. "+
			"One without its labels, but with the name of the child of %s, was left alone, so this is not judged", f.workload.Kind, disowned.Object, act.Object)
	case claims.Unowned == v1alpha1.OwnershipAdopt:
		f.note("claims.unowned", Seen, "a %s that had the name of the child of %s was taken over", f.workload.Kind, act.Object)
	default:
		f.note("claims.unowned", Seen, "a %s that had the name of the child of %s was left alone", f.workload.Kind, act.Object)
	}
}

// findTrouble tells where failures show, and which Events the controller records.
func (f *finder) findTrouble() {
	claims := &f.Spec.Claims
	t := f.troubles(f.status)
	f.findReporting(t)
	if claims.Reporting != nil && t.condition == nil && f.Spec.Contract.Status.Conditions != nil {
		f.askClaim(string(v1alpha1.FeatureErrorReporting), ": no condition changed while its %s could not be made; does one report a failure that lasts?", f.workload.Kind)
	}
	created, updated, rarely := f.reasons()
	if rarely != "" && updated == "" {
		f.offer("claims.events.updated", []string{"updated: " + inLine(rarely)}, "%s reported a change, but not every change that %s followed, so it is not claimed", rarely, f.main)
	}
	if len(t.various) > 0 {
		f.offer("claims.events.failed", []string{"failed: " + inLine(t.various[0])}, "%s reported that the name of a %s was taken, but none of them did so each time: which one should?",
			strings.Join(t.various, ", "), f.workload.Kind)
	}
	if created != "" || t.failed != "" {
		claims.Events = &v1alpha1.EventReasons{Created: created, Updated: updated, Failed: t.failed}
		f.note("claims.events", Seen, "they reported each %s that was made or changed, or whose %s had a name that was taken", f.Kind, f.workload.Kind)
	} else {
		f.ask("claims.events", "no Event about the creation of a child was seen: which reasons do such Events have?")
	}
	switch {
	case t.condition == nil:
	case t.gone:
		f.claim(v1alpha1.FeatureErrorReporting, Seen, "the condition %s was %s while it failed, and not afterwards", t.condition.Type, t.condition.Status)
	case !f.recovered():
		f.claim(v1alpha1.FeatureErrorReporting, Seen, "the condition %s was %s while it failed; it did not try again", t.condition.Type, t.condition.Status)
	}
}

// findReporting tells by which condition or Event a failure is reported, or asks for it.
func (f *finder) findReporting(t trouble) {
	reporting := v1alpha1.Reporting{Condition: t.condition}
	if t.condition == nil || t.failed == t.refused {
		reporting.EventReason = t.refused
	}
	if reporting != (v1alpha1.Reporting{}) {
		f.Spec.Claims.Reporting = &reporting
		f.note("claims.reporting", Seen, "while its %s could not be made", f.workload.Kind)
		return
	}
	lines, more := Examples()["claims.reporting"], ""
	if f.Spec.Contract.Status.Conditions == nil {
		lines = lines[:1]
	} else {
		more = " If it is a condition that goes when the cause goes, claim the feature error-reporting, too"
	}
	said := "no condition and no Warning reported a failure"
	if _, tried := f.act(Hinder); !tried && t.failed == "" {
		said = "no failure was tried"
	}
	if a := t.ambiguous; a != nil {
		said = fmt.Sprintf("the condition %s told of a failure, but it was %s, too, while nothing failed, so its status reports nothing; and no Warning came", a.Type, a.Status)
	}
	f.offer("claims.reporting", lines, "%s: which one does?%s", said, more)
}

// usualGrace is the time that Kubernetes gives a Pod to end, unless the Pod says otherwise.
const usualGrace = 30 * time.Second

// ofGrace is the field of a profile with the time that the controller needs to end.
const ofGrace = "claims.times.shutdownGrace"

// findTimes finds the longest pause, the time that the end takes, and the times of the
// Lease.
func (f *finder) findTimes() {
	f.findRetries()
	f.doubtEnding()
	f.findPolling()
	f.findGrace()
	f.askRate()
	f.findLeaseTimes()
}

// findGrace finds the time that the process needs to end. If it is longer than Kubernetes waits, that
// looks like a mistake.
func (f *finder) findGrace() {
	f.Spec.Claims.Times.ShutdownGrace = metav1.Duration{Duration: usualGrace}
	f.note(ofGrace, Guessed, "what Kubernetes gives a Pod")
	for _, e := range f.Account.Events {
		if e.Reason != history.ReplicaTerminated {
			continue
		}
		took := e.Took.Duration.Round(time.Millisecond)
		f.note(ofGrace, Guessed, "what Kubernetes gives a Pod; it took %s after SIGTERM, with nothing to do", took)
		if took >= usualGrace {
			f.doubt(ofGrace, "SIGTERM did not end the process within %s, the time that Kubernetes gives a Pod, though it had nothing to do: after %s it %s. SD-001 judges that. "+
				"If its Pods get more time (terminationGracePeriodSeconds), write that time", usualGrace, took.Round(time.Second), howEnded(e))
			return
		}
	}
}

// howEnded says how a process ended after SIGTERM.
func howEnded(e history.Event) string {
	if strings.Contains(e.Message, "SIGKILL") {
		return "had to be killed"
	}
	return "ended"
}

// askRate asks for the limit of the client, which no look shows.
func (f *finder) askRate() {
	f.ask("claims.clientQPS", "how many requests per second does its client allow itself? 0 if there is no limit, as in controller-runtime "+
		"since v0.21 (20 before that). If it is left out, 5 counts, the default of client-go")
}

// findLeaseTimes finds the times of the election, if there is one.
func (f *finder) findLeaseTimes() {
	times := &f.Spec.Claims.Times
	e, _, ok := f.election()
	if !ok {
		return
	}
	lease := e.Times
	if lease.RetryPeriod.Duration == 0 {
		lease.RetryPeriod.Duration = 2 * time.Second
	}
	if lease.Duration.Duration == 0 {
		lease.Duration.Duration = 15 * time.Second
	}
	lease.RenewDeadline.Duration = (lease.Duration.Duration * 2 / 3).Round(time.Second)
	if lease.RenewDeadline.Duration <= lease.RetryPeriod.Duration {
		lease.RenewDeadline.Duration = (lease.RetryPeriod.Duration + lease.Duration.Duration) / 2
	}
	times.Lease = &lease
	f.note("claims.times.lease", Seen, "the duration is in the Lease; the retry period was measured; the renew deadline is guessed: two thirds of the duration")
}
