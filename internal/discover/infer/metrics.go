package infer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/process/metrics"
	"reconform.dev/reconform/internal/profile"
)

// usualErrors is the counter of errors of controller-runtime.
const usualErrors = "controller_runtime_reconcile_errors_total"

// findMetrics claims the metrics that a page has under the usual names, and those that
// have counted since the first object was made.
func (f *finder) findMetrics(page Page) {
	now := page.read()
	if f.still(page, "workqueue_queue_duration_seconds_count", "") {
		f.askClaim("queue-metrics", ": workqueue_queue_duration_seconds stood still while %s was changed", profile.WithArticle(f.Kind))
	} else if now.Has("workqueue_depth") && counts(now, "workqueue_queue_duration_seconds_count", "") && now.Has("workqueue_retries_total") {
		f.claim(v1alpha1.FeatureQueueMetrics, Seen, "/metrics has workqueue_depth, workqueue_queue_duration_seconds and workqueue_retries_total")
	}
	const usual = "controller_runtime_reconcile_total"
	if counts(now, usual, "") && now.Has(usualErrors) {
		if f.still(page, usual, f.Kind) {
			f.askClaim("metrics", ": %s of the controller of %s stood still while one was changed; which metric counts its reconciles?", usual, profile.WithArticle(f.Kind))
		} else if counts(now, usual, f.Kind) {
			f.claim(v1alpha1.FeatureMetrics, Seen, "/metrics has %s and %s", usual, usualErrors)
		} else {
			f.askClaim("metrics", ": %s has no controller that is called like %s; which metric counts its reconciles?", usual, f.Kind)
		}
		return
	}
	reconciles, errors := guessMetrics(now)
	if reconciles == "" || errors == "" || !counts(now, reconciles, "") {
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

// guessMetrics finds the counter of reconciles, and the counter of their errors, by
// their names. Each is empty if no counter has such a name, or several have.
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

// still tells whether a metric has not changed between two pages: an earlier one from
// when the first object had just been made, and the given one, after changes of the
// object. If a kind is given, only the samples of controllers named after it count.
func (f *finder) still(page Page, metric, kind string) bool {
	before, ok := pageLike(page, f.Before)
	if !ok || len(f.acts(Change)) == 0 {
		return false
	}
	now := samples(page.read(), metric, kind)
	return len(now) > 0 && slices.Equal(samples(before.read(), metric, kind), now)
}

// samples returns the lines of a page with a sample of this name that is not 0, as they
// are written. If a kind is given, only those of controllers named after it.
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

// isFor tells whether a line is about a controller whose name is a kind, or has a word
// that begins with it: webapp-controller, WebAppReconciler.
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

// counts tells whether a page has a sample of this name that is not 0. If a kind is
// given, it must be of a controller named after it: the process may run other
// controllers, too.
func counts(page *metrics.Page, metric, kind string) bool {
	return len(samples(page, metric, kind)) > 0
}
