package infer

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// compareServing looks for the declared ports, pages and metrics.
func (c *comparison) compareServing() {
	fixed := c.claimed.Spec.Launch.FixedPorts
	for _, name := range slices.Sorted(maps.Keys(fixed)) {
		if c.OwnNetwork && !slices.Contains(c.Ports, int(fixed[name])) {
			c.add("spec.launch.fixedPorts."+name, "it does not listen on %d; ports where it does: %s", fixed[name], orNone(numbersOf(c.Ports)))
		}
	}
	if c.Webhook != nil && c.Webhook.Problem != "" {
		c.add("spec.launch.webhook", "%s", c.Webhook.Problem)
	}
	for _, endpoint := range []v1alpha1.EndpointName{v1alpha1.EndpointHealth, v1alpha1.EndpointMetrics} {
		declared, ok := c.claimed.Endpoint(endpoint)
		if !ok || !c.claimed.Has(v1alpha1.Feature(endpoint)) {
			continue
		}
		page, answered := c.answered(declared.Path)
		if !answered {
			c.add("spec.launch.endpoints."+string(endpoint), "no port answered 200 at %s; paths that did: %s", declared.Path, orNone(c.answers()))
			continue
		}
		if page.Scheme != declared.Scheme {
			c.add("spec.launch.endpoints."+string(endpoint)+".scheme", "%s; %s is served by %s", declared.Scheme, declared.Path, page.Scheme)
		}
		if endpoint == v1alpha1.EndpointMetrics {
			c.compareMetrics(page)
		}
	}
}

// suffixed returns a hint if a name has the suffix of a sample, which it must not have.
func suffixed(name string) string {
	for _, suffix := range []string{"_count", "_sum", "_bucket"} {
		if strings.HasSuffix(name, suffix) {
			return "; a histogram or a summary is named without " + suffix
		}
	}
	return ""
}

// compareMetrics looks for the declared names. A metric that counts errors may be missing
// until the first error.
func (c *comparison) compareMetrics(page Page) {
	names, served := c.claimed.Spec.Claims.Metrics, page.read()
	for _, metric := range []struct {
		field   string
		name    v1alpha1.MetricName
		feature v1alpha1.Feature
	}{
		{"reconciles", names.Reconciles, v1alpha1.FeatureMetrics},
		{"queueDepth", names.QueueDepth, v1alpha1.FeatureQueueMetrics},
		{"queueLatency", names.QueueLatency, v1alpha1.FeatureQueueMetrics},
	} {
		if c.claimed.Has(metric.feature) && !served.Has(string(metric.name)) {
			c.add("spec.claims.metrics."+metric.field, "%s has no metric %s%s", page.Path, metric.name, suffixed(string(metric.name)))
		}
	}
	if c.claimed.Has(v1alpha1.FeatureMetrics) {
		c.compareErrorSeries(page)
	}
}

// compareErrorSeries looks whether the declared counters of errors went up while the creation
// of a child was refused. Whether the name or the counting is wrong, only its author knows,
// unless the page never had a metric of that name.
func (c *comparison) compareErrorSeries(page Page) {
	before, ok := pageLike(page, c.Hindering)
	after, alsoAfter := pageLike(page, c.Hindered)
	failed := len(c.failedAttempts())
	if !ok || !alsoAfter || failed == 0 {
		return
	}
	earlier, later := before.read(), after.read()
	for n, declared := range c.claimed.Spec.Claims.Metrics.ErrorSeries {
		was, _ := earlier.Value(string(declared))
		is, exposed := later.Value(string(declared))
		at := fmt.Sprintf("spec.claims.metrics.errorSeries[%d]", n)
		name, _, labeled := strings.Cut(string(declared), "{")
		switch {
		case is > was:
		case exposed:
			c.addJudged(at, "%s stayed at %v while the creation of its %s was refused %s", declared, is, c.workload.Kind, times(failed))
		case labeled && later.Has(name):
			c.addJudged(at, "%s has no series %s, and %s has others: the creation of its %s had been refused %s. Is a label wrong, or are failures not counted?",
				page.Path, declared, name, c.workload.Kind, times(failed))
		default:
			c.add(at, "%s has no metric %s, though the creation of its %s had been refused %s", page.Path, name, c.workload.Kind, times(failed))
		}
	}
}

// answered returns the page at a path that answered 200, on any port.
func (r *Record) answered(path string) (Page, bool) {
	for _, page := range r.Pages {
		if page.Path == path && page.Code == http.StatusOK {
			return page, true
		}
	}
	return Page{}, false
}

// answers returns the paths that answered 200.
func (r *Record) answers() []string {
	paths := map[string]bool{}
	for _, page := range r.Pages {
		if page.Code == http.StatusOK {
			paths[page.Path] = true
		}
	}
	return sorted(paths)
}

func numbersOf(numbers []int) []string {
	var words []string
	for _, number := range numbers {
		words = append(words, fmt.Sprint(number))
	}
	return words
}
