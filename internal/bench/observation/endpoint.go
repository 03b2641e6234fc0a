package observation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/sanitize"
)

const (
	maxPage = 16 << 20
	// maxGrown is the number of metrics that are named because they have more series.
	maxGrown = 5
	// maxAnswer limits what an error shows of an answer other than a success.
	maxAnswer = 200
	// acceptText asks for the oldest text format, which everything that supports
	// Prometheus can write. It also accepts any other page.
	acceptText = "text/plain;version=0.0.4;q=1,*/*;q=0.1"
)

// endpoint reads what a replica serves.
type endpoint struct {
	replicas  Replicas
	namespace string
	spec      v1alpha1.ObservedEndpoint

	readings v1alpha1.EndpointReadings
	first    map[string]float64 // values at the first reading; nil until there was one
	sizes    map[string]int64   // and how many series each metric had then
}

// newEndpoint returns a reader of the metrics that the spec names, or, if it names
// none, of those that the profile declares.
func newEndpoint(replicas Replicas, namespace string, spec v1alpha1.ObservedEndpoint, declared v1alpha1.MetricNames) *endpoint {
	if len(spec.Metrics) == 0 {
		for _, name := range []v1alpha1.MetricName{
			declared.Reconciles, declared.Errors, declared.QueueDepth, declared.QueueLatency, declared.QueueRetries,
		} {
			if name != "" {
				spec.Metrics = append(spec.Metrics, string(name))
			}
		}
		for _, series := range declared.ErrorSeries {
			spec.Metrics = append(spec.Metrics, string(series))
		}
	}
	return &endpoint{replicas: replicas, namespace: namespace, spec: spec}
}

func (e *endpoint) read(ctx context.Context, into *v1alpha1.ObservationStatus) (any, error) {
	url, err := e.replicas.Endpoint(e.namespace, e.spec.Replica, e.spec.Name)
	if err != nil {
		return nil, fmt.Errorf("finding the endpoint: %w", err)
	}
	r := &e.readings
	r.Code, r.ContentType, r.Prometheus, r.NotPrometheus, r.Series, r.Grown, r.Gauges = 0, "", false, "", 0, nil, nil
	page, err := e.get(ctx, url)
	if barred := (*barred)(nil); errors.As(err, &barred) {
		r.Failure = sanitize.Cut(err.Error(), maxExcerpt)
		into.Endpoint = r.DeepCopy()
		return nil, err
	}
	if err == nil || r.Reads > 0 { // reads count from the first that succeeded
		r.Reads++
	}
	switch {
	case err == nil && e.spec.Name == v1alpha1.EndpointMetrics:
		e.parse(page)
	case err != nil:
		r.Failure = sanitize.Cut(err.Error(), maxExcerpt)
		if r.Reads > 0 {
			r.Failed++
		}
	}
	into.Endpoint = r.DeepCopy()
	return into.Endpoint, nil
}

// barred is an answer that says that the bench may not read the page. It shows nothing of
// the page.
type barred struct{ answer string }

func (b *barred) Error() string {
	return b.answer + ": it does not let the bench read the page, although the bench asks with the token of a ServiceAccount that may get this path"
}

// get fetches the page. An answer other than success is an error.
func (e *endpoint) get(ctx context.Context, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", acceptText)
	response, err := e.replicas.Ask(e.namespace, e.spec.Replica, request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	e.readings.Code, e.readings.ContentType = int32(response.StatusCode), sanitize.Cut(response.Header.Get("Content-Type"), maxExcerpt)
	page, err := io.ReadAll(io.LimitReader(response.Body, maxPage))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading the answer: %w", err)
	case response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden:
		return nil, &barred{fmt.Sprintf("GET %s: %s: %s", url, response.Status, sanitize.CutEnd(strings.TrimSpace(string(page)), maxAnswer))}
	case response.StatusCode < 200 || response.StatusCode > 299:
		return nil, fmt.Errorf("GET %s: %s: %s", url, response.Status, sanitize.CutEnd(string(page), maxAnswer))
	}
	return page, nil
}

// parse reads the values of the wanted metrics from a page.
func (e *endpoint) parse(page []byte) {
	found, err := parseMetrics(e.readings.ContentType, string(page))
	if err != nil {
		e.readings.NotPrometheus = sanitize.Cut(err.Error(), maxExcerpt)
		return
	}
	sizes := found.Sizes()
	e.readings.Prometheus, e.readings.Series = true, found.Size()
	if e.first == nil {
		e.first, e.sizes = map[string]float64{}, sizes
		for _, name := range e.spec.Metrics {
			e.first[name], _ = found.Value(name)
		}
	}
	e.readings.Grown = grown(e.sizes, sizes)
	if e.spec.Gauges {
		e.readings.Gauges = map[string]int64{}
		for _, name := range found.Names(dto.MetricType_GAUGE) {
			if !maybeCount(name) {
				continue
			}
			value, _ := found.Value(name)
			e.readings.Gauges[name] = roundDown(value)
		}
	}
	e.readings.Samples = map[string]int64{}
	for _, name := range e.spec.Metrics {
		value, exposed := found.Value(name)
		if !exposed {
			continue
		}
		e.readings.Samples[name] = roundDown(value)
		if value > e.first[name] && !slices.Contains(e.readings.Increased, name) {
			e.readings.Increased = append(e.readings.Increased, name)
		}
	}
}

// grown returns the metrics that have more series now than before, the most first.
func grown(before, now map[string]int64) []string {
	more := func(name string) int64 { return now[name] - before[name] }
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(now)), func(name string) bool { return more(name) <= 0 })
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(more(b), more(a)) })
	names = names[:min(len(names), maxGrown)]
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (+%d)", sanitize.Cut(name, maxExcerpt), more(name))
	}
	return names
}
