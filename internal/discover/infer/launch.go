package infer

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/process/metrics"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// findLaunch finds the ports, the probe and the flags.
func (f *finder) findLaunch() {
	launch := &f.Spec.Launch
	servings := f.servings()
	launch.Command, launch.Ports = withPorts(f.Command, servings)
	f.note("launch.command", Seen, "it was started so")
	if strings.Contains(strings.Join(f.Command, " "), profile.Braces) {
		f.note("launch.command", Seen, "it was started with these; %s stands for {{, as the text after it names no key of a profile", profile.Braces)
	}
	var fixed []string // why each port is
	for _, s := range servings {
		if s.argument < 0 {
			if launch.FixedPorts == nil {
				launch.FixedPorts = map[string]int32{}
			}
			launch.FixedPorts[s.name] = int32(s.port)
			fixed = append(fixed, fmt.Sprintf("%d: %s", s.port, f.whyFixed(s)))
			f.note("launch.fixedPorts", Seen, "%s", strings.Join(fixed, "; "))
		} else {
			f.note("launch.ports", Seen, "it listens there")
		}
		for _, path := range []string{"/readyz", "/ready"} {
			if page, ok := s.page(path); ok && !page.WithToken && launch.Ready.HTTPGet == nil {
				launch.Ready.HTTPGet = &v1alpha1.HTTPGet{Port: s.name, Path: path}
				if page.Scheme != "http" {
					launch.Ready.HTTPGet.Scheme = page.Scheme
				}
				f.note("launch.ready", Seen, "%s answered 200", path)
			}
		}
		if page, ok := s.page("/metrics"); ok {
			if s.name != "metrics" || page.Scheme != "http" {
				launch.Endpoints.Metrics = &v1alpha1.Endpoint{Port: s.name, Scheme: page.Scheme}
			}
			f.findMetrics(page)
			if slices.Contains(f.Spec.Claims.Features, v1alpha1.FeatureMetrics) {
				f.findErrorSeries(page)
				f.doubtErrors(page)
			}
		}
		for _, path := range []string{"/healthz", "/livez", "/live", "/health"} {
			if page, ok := s.page(path); ok && !slices.Contains(f.Spec.Claims.Features, v1alpha1.FeatureHealth) {
				if s.name != "health" || path != "/healthz" || page.Scheme != "http" {
					launch.Endpoints.Health = &v1alpha1.Endpoint{Port: s.name, Path: path, Scheme: page.Scheme}
				}
				f.claim(v1alpha1.FeatureHealth, Seen, "%s answered 200", path)
			}
		}
	}
	f.askBarred()
	f.findWebhook()
	if launch.Ready.HTTPGet == nil {
		f.askReady()
	}
	f.findElection()
	if f.FixedName != "" {
		launch.OnePerNamespace = true
		f.note("launch.onePerNamespace", Seen, "an object of another name than %s got no children", f.FixedName)
	}
	for _, act := range f.Acts {
		if act.Deed == Create && act.Refused == NothingMade && len(f.acts(Create)) == 1 && !strings.Contains(f.Spec.Contract.Children.Deployment.Name, "{{") {
			launch.OnePerNamespace = true
			f.note("launch.onePerNamespace", Seen, "a second %s in the namespace got no children", f.Kind)
		}
	}
}

// whyFixed says why the profile has a fixed port.
func (f *finder) whyFixed(s serving) string {
	switch numbers := strings.Join(s.elsewhere, " and "); {
	case numbers == "":
		return "it listens there, and no argument says so"
	case slices.Contains(f.Moved.Ports, s.port):
		return fmt.Sprintf("it listens there, and still did with another number in %s, which is there for something else", numbers)
	default:
		return fmt.Sprintf("it listens there, and with another number in %s it listened neither there nor at that number, so the number stays", numbers)
	}
}

// askReady asks for the page that says when the controller is ready.
func (f *finder) askReady() {
	names := append(slices.Clone(f.Spec.Launch.Ports), sorted(f.Spec.Launch.FixedPorts)...)
	without := "it counts as ready once it watches its resource, or lists it again and again"
	if !f.showedReady() {
		without = "it neither watched its resource nor listed it again and again, so a run will say that it does not start"
	}
	if len(names) == 0 {
		f.ask("launch.ready", "no page said when it is ready: %s. If a flag makes it serve one, run init again with it", without)
		return
	}
	name := names[max(0, slices.Index(names, "health"))]
	f.offer("launch.ready", []string{fmt.Sprintf("ready: {httpGet: {port: %s, path: /readyz}}", name)},
		"no page said when it is ready: which one does? Without one %s", without)
}

// showedReady tells whether the controller did what shows that it is ready, if no page says so.
func (f *finder) showedReady() bool {
	return f.looksAfter(Act{}) >= 2 || slices.ContainsFunc(f.Account.Requests, func(q history.Request) bool {
		return f.isPrimary(q) && q.Verb == history.VerbWatch && q.Succeeded()
	})
}

// askBarred asks about pages that refuse every request.
func (f *finder) askBarred() {
	for _, page := range f.Pages {
		if page.Code == http.StatusUnauthorized || page.Code == http.StatusForbidden {
			f.ask("launch.endpoints", "%s://127.0.0.1:%d%s answered %d, even to the token of a ServiceAccount that may get it: what does it need?", page.Scheme, page.Port, page.Path, page.Code)
		}
	}
}

// findWebhook notes what is known about the given webhooks.
func (f *finder) findWebhook() {
	if f.Webhook == nil {
		return
	}
	f.note("launch.webhook", Seen, "it answered there, with the certificate that it was given")
	if !f.Webhook.OnlyConverts {
		f.askClaim("webhook", ", as it was not tried: does it heal while the API server cannot reach its webhook?")
	}
	switch {
	case ConversionPath(f.CRD) != "":
		f.note("launch.webhook.conversion", Read, "the CRD names this path")
	case len(f.CRD.Spec.Versions) > 1:
		f.ask("launch.webhook.conversion", "at which path does it convert between the versions of the CRD?")
	}
}

// ConversionPath returns the path at which a CRD says that its objects are converted, or ""
// if it does not say one.
func ConversionPath(crd *apiextensionsv1.CustomResourceDefinition) string {
	conversion := crd.Spec.Conversion
	if conversion == nil || conversion.Webhook == nil || conversion.Webhook.ClientConfig == nil ||
		conversion.Webhook.ClientConfig.Service == nil || conversion.Webhook.ClientConfig.Service.Path == nil {
		return ""
	}
	return *conversion.Webhook.ClientConfig.Service.Path
}

// usualErrors is the counter of errors of controller-runtime.
const usualErrors = "controller_runtime_reconcile_errors_total"

// findMetrics claims the metrics that a page has under the usual names, and those that have
// counted since the first object was made.
func (f *finder) findMetrics(page Page) {
	now := page.read()
	if f.still(page, "workqueue_queue_duration_seconds_count", "") {
		f.askClaim("queue-metrics", ": workqueue_queue_duration_seconds stood still while %s was changed", profile.WithArticle(f.Kind))
	} else if now.Has("workqueue_depth") && counts(now, "workqueue_queue_duration_seconds_count") && now.Has("workqueue_retries_total") {
		f.claim(v1alpha1.FeatureQueueMetrics, Seen, "/metrics has workqueue_depth, workqueue_queue_duration_seconds and workqueue_retries_total")
	}
	const usual = "controller_runtime_reconcile_total"
	if counts(now, usual) && now.Has(usualErrors) {
		if f.still(page, usual, f.Kind) {
			f.askClaim("metrics", ": %s of the controller of %s stood still while one was changed; which metric counts its reconciles?", usual, profile.WithArticle(f.Kind))
		} else if countsFor(now, usual, f.Kind) {
			f.claim(v1alpha1.FeatureMetrics, Seen, "/metrics has %s and %s", usual, usualErrors)
		} else {
			f.askClaim("metrics", ": %s has no controller that is called like %s; which metric counts its reconciles?", usual, f.Kind)
		}
		return
	}
	reconciles, errors := guessMetrics(now)
	if reconciles == "" || errors == "" || !counts(now, reconciles) {
		f.ask("claims.metrics", "/metrics has not the usual names: which metric counts its reconciles, and which their errors?")
		return
	}
	if f.still(page, reconciles, "") {
		f.ask("claims.metrics", "%s stood still while %s was changed: which metric counts its reconciles, and which their errors?", reconciles, profile.WithArticle(f.Kind))
		return
	}
	f.Spec.Claims.Metrics.Reconciles, f.Spec.Claims.Metrics.Errors = v1alpha1.MetricName(reconciles), v1alpha1.MetricName(errors)
	f.note("claims.metrics", Guessed, "the names say so: what counts reconciles, and what counts errors?")
	f.claim(v1alpha1.FeatureMetrics, Guessed, "/metrics has %s and %s", reconciles, errors)
}

// guessMetrics finds the counter of reconciles, and the counter of their errors, by their
// names. Each is empty if no counter has such a name, or several have.
func guessMetrics(page *metrics.Page) (reconciles, errors string) {
	var work, failures []string
	for _, name := range page.Declared("counter") {
		switch {
		case !aboutWork.MatchString(name):
		case aboutFailure.MatchString(name):
			failures = append(failures, name)
		default:
			work = append(work, name)
		}
	}
	if len(work) != 1 || len(failures) != 1 {
		return "", ""
	}
	return work[0], failures[0]
}

var (
	aboutWork    = regexp.MustCompile(`reconcil|sync`)
	aboutFailure = regexp.MustCompile(`err|fail`)
)

// counts tells whether a page has a sample of this name that is not 0.
func counts(page *metrics.Page, sample string) bool { return len(samples(page, sample, "")) > 0 }

// still tells whether a metric has not changed between two pages: an earlier one from when
// the first object had just been made, and the given one, after changes of the object. If a
// kind is given, only the samples of controllers named after it count.
func (f *finder) still(page Page, metric, kind string) bool {
	before, ok := pageLike(page, f.Before)
	if !ok || len(f.acts(Change)) == 0 {
		return false
	}
	now := samples(page.read(), metric, kind)
	return len(now) > 0 && slices.Equal(samples(before.read(), metric, kind), now)
}

// samples returns the lines of a page with a sample of this name that is not 0, as they are
// written. If a kind is given, only those of controllers named after it.
func samples(page *metrics.Page, name, kind string) []string {
	var found []string
	for _, line := range page.Samples(name) {
		if !isZero(line) && (kind == "" || isFor(line, kind)) {
			found = append(found, line)
		}
	}
	return found
}

// isZero tells whether the value at the end of a line is 0. Some libraries write 0.0.
func isZero(line string) bool {
	value, err := strconv.ParseFloat(line[strings.LastIndex(line, " ")+1:], 64)
	return err == nil && value == 0
}

// isFor tells whether a line is about a controller whose name is a kind, or has a word that
// begins with it: webapp-controller, WebAppReconciler.
func isFor(line, kind string) bool {
	_, rest, _ := strings.Cut(line, `controller="`)
	name, _, _ := strings.Cut(rest, `"`)
	for i := range name {
		begins := i == 0 || !unicode.IsLetter(rune(name[i-1])) || unicode.IsUpper(rune(name[i]))
		if begins && strings.HasPrefix(strings.ToLower(name[i:]), strings.ToLower(kind)) {
			return true
		}
	}
	return false
}

// countsFor tells whether a page has a metric of controller-runtime that is not 0 for a
// controller named after the kind. The process may run other controllers, too.
func countsFor(page *metrics.Page, metric, kind string) bool {
	return len(samples(page, metric, kind)) > 0
}

// findElection finds the Lease, and how it is switched on and off.
func (f *finder) findElection() {
	e, others, ok := f.election()
	if !ok {
		f.ask("launch.leaderElection", "it held no Lease, with the flags that it was given: where it can elect a leader, run init again with its flag")
		return
	}
	election := &v1alpha1.LaunchLeaderElection{Lease: e.Lease}
	f.note("launch.leaderElection.lease", Seen, "it held this Lease")
	switch {
	case len(others) > 0 && f.isNamedAfterKind(e.Lease.Name):
		f.note("launch.leaderElection.lease", Seen, "it held this Lease, which has the kind in its name, and %s", strings.Join(others, ", "))
	case len(others) > 0:
		f.note("launch.leaderElection.lease", Guessed, "it held this Lease, and %s", strings.Join(others, ", "))
		f.ask("launch.leaderElection.lease", "it held several Leases (%s, too): which of them must it hold to serve %s?", strings.Join(others, ", "), profile.WithArticle(f.Kind))
	}
	if e.Lease.Namespace != "" {
		f.Spec.Launch.Serial = true
		f.note("launch.serial", Seen, "its Lease is in a namespace that all scenarios would share; until then one at a time runs, so a run takes several times as long. Give it a flag for the namespace, {{ .namespace }}, and they run side by side")
	}
	at, on, off := electionFlag(f.Command)
	if at > 0 {
		f.Spec.Launch.Command = slices.Delete(slices.Clone(f.Spec.Launch.Command), at, at+len(on))
		election.Enabled = on
		f.note("launch.leaderElection.enabled", Seen, "with it, it held the Lease")
		if f.GoProgram { // Go's flags accept =false
			election.Disabled = []string{off}
			f.note("launch.leaderElection.disabled", Guessed, "is it off so?")
		} else {
			f.ask("launch.leaderElection.disabled", "which arguments switch it off, if it is not off without those that switch it on?")
		}
	} else {
		f.ask("launch.leaderElection.disabled", "which arguments switch it off? Without them each start waits for the Lease of the process before")
	}
	f.Spec.Launch.LeaderElection = election
}
