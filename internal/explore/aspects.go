package explore

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/jsonpath"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/history"
)

// findStatus maps the status.
func (f *finder) findStatus() {
	service := ""
	if f.service != nil {
		service = f.service.GetName()
	}
	f.status = f.Record.status(service)
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
		case field.path == "" && field.name == "phase" && s.PhaseCondition != "":
			into.Phase = &v1alpha1.Field{Condition: &v1alpha1.ConditionStatus{Type: s.PhaseCondition, Status: "True"}}
			f.note(path, Seen, "it was True once all Pods were ready, and not before")
		case field.path == "":
			f.ask(path, "nothing in the status was seen to be this: %s: {path: status.…} where something is", field.name)
		default:
			*field.into = &v1alpha1.Field{Path: field.path}
			text := s.Notes[field.path]
			if field.name == "conditions" {
				text = "the types were " + strings.Join(f.conditionTypes(), ", ")
			}
			f.note(path, Seen, "%s", text)
		}
	}
	if s.Phase != "" {
		phases := s.Phases
		if worst := f.troubles(s).phase; worst != "" && worst != "Degraded" && worst != phases["Running"] && worst != phases["Deploying"] && worst != phases["Pending"] && worst != "Deploying" && worst != "Pending" && worst != "Running" {
			phases["Degraded"] = worst
		}
		if len(phases) > 0 {
			f.Spec.Contract.Phases = phases
			f.note("contract.phases", Guessed, "by when they were seen: look whether they mean the same")
		}
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
	settled := f.Film.At(f.acts(Create)[0].Until)[Ref{f.Kind, f.first.Object}]
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
	return err == nil && len(results) > 0 && len(results[0]) > 0 && fmt.Sprint(results[0][0].Interface()) != ""
}

// findOwnership tells how children are known, and who removes them.
func (f *finder) findOwnership() {
	claims := &f.Spec.Claims
	claims.Ownership = v1alpha1.OwnershipByLabels
	for _, owner := range f.deployment.GetOwnerReferences() {
		if owner.Kind == f.Kind && owner.Name == f.first.Object {
			claims.Ownership = v1alpha1.OwnershipByReference
		}
	}
	if claims.Ownership == v1alpha1.OwnershipByReference {
		f.note("claims.ownership", Seen, "%s has an owner reference", f.main)
	} else {
		f.note("claims.ownership", Seen, "%s has no owner reference to its %s", f.main, f.Kind)
	}
	claims.Cleanup = "gc"
	f.note("claims.cleanup", Seen, "it deleted no child of a deleted %s", f.Kind)
	if deleted, ok := f.act(Delete); ok {
		for _, q := range f.during(deleted) {
			if q.Verb == history.VerbDelete && q.Resource == "deployments" && q.Effect == history.EffectEffective {
				claims.Cleanup = "controller"
				f.note("claims.cleanup", Seen, "%s", q.InWords())
			}
		}
	} else {
		f.note("claims.cleanup", Guessed, "no deletion was seen")
	}
	claims.Unowned = f.unowned()
	switch act, _ := f.act(Occupy); claims.Unowned {
	case "":
		claims.Unowned = v1alpha1.OwnershipRefuse
		f.note("claims.unowned", Guessed, "what does it do with a Deployment of a child's name that nobody owns? adopt, where it becomes a child")
	case v1alpha1.OwnershipAdopt:
		f.note("claims.unowned", Seen, "a Deployment that had the name of the child of %s was taken over", act.Object)
	default:
		f.note("claims.unowned", Seen, "a Deployment that had the name of the child of %s was left alone", act.Object)
	}
}

// findTrouble tells where failures show, and which Events there are.
func (f *finder) findTrouble() {
	claims := &f.Spec.Claims
	t := f.troubles(f.status)
	reporting := v1alpha1.Reporting{Condition: t.condition}
	if t.condition == nil || t.failed == t.refused {
		reporting.EventReason = t.refused
	}
	if reporting != (v1alpha1.Reporting{}) {
		claims.Reporting = &reporting
		f.note("claims.reporting", Seen, "while its Deployment could not be made")
	} else {
		f.ask("claims.reporting", "no condition and no Warning told of a failure: reporting: {condition: {type: …, status: \"True\"}} or {eventReason: …} where one does")
	}
	created, updated := f.reasons()
	if created != "" || t.failed != "" {
		claims.Events = &v1alpha1.EventReasons{Created: created, Updated: updated, Failed: t.failed}
		f.note("claims.events", Seen, "Events about a %s that was made, changed, and whose Deployment had a name that was taken", f.Kind)
	} else {
		f.ask("claims.events", "no Event told of a child that was made: events: {created: …, updated: …, failed: …} where they do")
	}
	if t.condition != nil && t.gone {
		f.claim("error-reporting", Seen, "the condition %s was %s while it failed, and not afterwards", t.condition.Type, t.condition.Status)
	}
}

// Where nothing shows a time, it is the default of what most controllers are built on.
const (
	usualPause = 1000 * time.Second
	usualGrace = 30 * time.Second
)

// findTimes finds the longest pause, the time of the end and those of the Lease.
func (f *finder) findTimes() {
	times := &f.Spec.Claims.Times
	times.LongestRetryPause = metav1.Duration{Duration: usualPause}
	f.note("claims.times.longestRetryPause", Guessed, "the default of controller-runtime and of client-go's rate limiter: read it in the source, or declare what a run measures")
	if pauses := f.retryPauses(); len(pauses) >= 3 {
		last, before := pauses[len(pauses)-1], pauses[len(pauses)-2]
		if last < before*3/2 && last > 200*time.Millisecond {
			times.LongestRetryPause.Duration = max((2 * last).Round(time.Second), time.Second)
			f.note("claims.times.longestRetryPause", Guessed, "the pauses between attempts at what failed were %s, and grew no more: twice the last", durations(pauses))
		} else {
			f.note("claims.times.longestRetryPause", Guessed, "the pauses between attempts at what failed grew (%s); 1000s is the default of controller-runtime and of client-go: read it in the source", durations(pauses))
		}
	}
	f.ask("claims.times", "resync: the period of its caches, or of its polling; a short look does not show it")
	times.ShutdownGrace = metav1.Duration{Duration: usualGrace}
	f.note("claims.times.shutdownGrace", Guessed, "what Kubernetes gives a Pod")
	for _, e := range f.Account.Events {
		if e.Reason == history.ReplicaTerminated {
			f.note("claims.times.shutdownGrace", Guessed, "what Kubernetes gives a Pod; it took %s after SIGTERM, with nothing to do", e.Took.Duration.Round(time.Millisecond))
		}
	}
	f.ask("claims", "clientQPS: the client's limit on requests per second; 0 where there is none. 5, the default of client-go, counts where it is left out")
	e, ok := f.election()
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

// retryPauses between the attempts at a Deployment that was refused.
func (f *finder) retryPauses() []time.Duration {
	act, ok := f.act(Hinder)
	if !ok {
		return nil
	}
	var pauses []time.Duration
	var last time.Time
	for _, q := range f.during(act) {
		if q.Resource != "deployments" || !q.Failed() || q.Fault == "" {
			continue
		}
		if !last.IsZero() {
			pauses = append(pauses, q.Time.Sub(last))
		}
		last = q.Time
	}
	return pauses
}

func durations(list []time.Duration) string {
	var words []string
	for _, d := range list {
		words = append(words, d.Round(10*time.Millisecond).String())
	}
	if len(words) > 8 {
		words = append([]string{"…"}, words[len(words)-8:]...)
	}
	return strings.Join(words, ", ")
}

// findLaunch finds the ports, the probe and the flags.
func (f *finder) findLaunch() {
	launch := &f.Spec.Launch
	servings := f.servings()
	launch.Command, launch.Ports = withPorts(f.Command, servings)
	f.note("launch.command", Seen, "it was started so")
	for _, s := range servings {
		if s.argument < 0 {
			if launch.FixedPorts == nil {
				launch.FixedPorts = map[string]int32{}
			}
			launch.FixedPorts[s.name] = int32(s.port)
			f.note("launch.fixedPorts", Seen, "it listens there, and no argument says so")
		} else {
			f.note("launch.ports", Seen, "it listens there")
		}
		for _, path := range []string{"/readyz", "/ready"} {
			if _, ok := s.page(path); ok && launch.Ready.HTTPGet == nil {
				launch.Ready.HTTPGet = &v1alpha1.HTTPGet{Port: s.name, Path: path}
				f.note("launch.ready", Seen, "%s answered 200", path)
			}
		}
		if page, ok := s.page("/metrics"); ok {
			if s.name != "metrics" {
				launch.Endpoints.Metrics = &v1alpha1.Endpoint{Port: s.name}
			}
			f.findMetrics(page)
		}
		for _, path := range []string{"/healthz", "/livez", "/live", "/health"} {
			if _, ok := s.page(path); ok && !slices.Contains(f.Spec.Claims.Features, "health") {
				if s.name != "health" || path != "/healthz" {
					launch.Endpoints.Health = &v1alpha1.Endpoint{Port: s.name, Path: path}
				}
				f.claim("health", Seen, "%s answered 200", path)
			}
		}
	}
	if launch.Ready.HTTPGet == nil {
		f.ask("launch", "ready: {httpGet: {port: …, path: …}}; without one it counts as ready once it watches its resource")
	}
	f.findElection()
	for _, act := range f.Acts {
		if act.Deed == Create && act.Refused == NothingMade && len(f.acts(Create)) == 1 && !strings.Contains(f.Spec.Contract.Children.Deployment.Name, "{{") {
			launch.OnePerNamespace = true
			f.note("launch.onePerNamespace", Seen, "a second %s in the namespace got no children", f.Kind)
		}
	}
}

// findMetrics claims what a page has under the usual names.
func (f *finder) findMetrics(page Page) {
	const reconciles, errors = "controller_runtime_reconcile_total", "controller_runtime_reconcile_errors_total"
	if counts(page.Body, reconciles) && strings.Contains(page.Body, errors) {
		f.claim("metrics", Seen, "/metrics has %s and %s", reconciles, errors)
		if strings.Contains(page.Body, "workqueue_depth{") && counts(page.Body, "workqueue_queue_duration_seconds_count") && strings.Contains(page.Body, "workqueue_retries_total") {
			f.claim("queue-metrics", Seen, "/metrics has workqueue_depth, workqueue_queue_duration_seconds and workqueue_retries_total")
		}
		return
	}
	f.ask("claims", "metrics: {reconciles: …, errors: …}: /metrics has not the usual names")
}

// counts tells whether a page has a metric that is not 0.
func counts(page, metric string) bool {
	for line := range strings.SplitSeq(page, "\n") {
		if strings.HasPrefix(line, metric) && !strings.HasSuffix(line, " 0") {
			return true
		}
	}
	return false
}

// findElection finds the Lease, and how it is switched on and off.
func (f *finder) findElection() {
	e, ok := f.election()
	if !ok {
		f.ask("launch.leaderElection", "it held no Lease, with the flags that it was given: where it can elect a leader, run init again with its flag")
		return
	}
	election := &v1alpha1.LaunchLeaderElection{Lease: e.Lease}
	f.note("launch.leaderElection.lease", Seen, "it held this Lease")
	if e.Lease.Namespace != "" {
		f.Spec.Launch.Serial = true
		f.note("launch.serial", Seen, "its Lease is in a namespace that all scenarios would share; give it a flag for the namespace, {{ .namespace }}, and they run side by side")
	}
	at, on, off := electionFlag(f.Command)
	if at > 0 {
		f.Spec.Launch.Command = slices.Delete(slices.Clone(f.Spec.Launch.Command), at, at+1)
		election.Enabled, election.Disabled = []string{on}, []string{off}
		f.note("launch.leaderElection.enabled", Seen, "with it, it held the Lease")
		f.note("launch.leaderElection.disabled", Guessed, "is it off so?")
	} else {
		f.ask("launch.leaderElection", "disabled: the arguments that switch it off. Without them each start waits for the Lease of the process before")
	}
	f.Spec.Launch.LeaderElection = election
}
