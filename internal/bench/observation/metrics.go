package observation

import (
	"bytes"
	"fmt"
	"math"
	"mime"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// metrics of a page.
type metrics struct {
	series int64    // one for each set of labels
	gauges []string // names of those that may count objects

	families map[string]*dto.MetricFamily // by name
}

// value of a metric is the sum over its labels. If labels are given, as in
// name{label="value"}, only the series that have them count. It also tells whether there is
// such a metric.
func (m metrics) value(wanted string) (sum float64, exposed bool) {
	name, labels := wanted, []*dto.LabelPair(nil)
	if strings.Contains(wanted, "{") {
		parser := expfmt.NewTextParser(model.UTF8Validation)
		asked, err := parser.TextToMetricFamilies(strings.NewReader(wanted + " 0\n"))
		if err != nil {
			return 0, false
		}
		for _, family := range asked { // it is one
			name, labels = family.GetName(), family.GetMetric()[0].GetLabel()
		}
	}
	for _, metric := range m.families[name].GetMetric() {
		if !hasLabels(metric, labels) {
			continue
		}
		exposed = true
		if value := valueOf(metric); !math.IsNaN(value) {
			sum += value
		}
	}
	return sum, exposed
}

func hasLabels(metric *dto.Metric, labels []*dto.LabelPair) bool {
	return !slices.ContainsFunc(labels, func(want *dto.LabelPair) bool {
		return !slices.ContainsFunc(metric.GetLabel(), func(has *dto.LabelPair) bool {
			return has.GetName() == want.GetName() && has.GetValue() == want.GetValue()
		})
	})
}

// valueOf a histogram or a summary is the number of its observations.
func valueOf(metric *dto.Metric) float64 {
	switch {
	case metric.Counter != nil:
		return metric.Counter.GetValue()
	case metric.Gauge != nil:
		return metric.Gauge.GetValue()
	case metric.Untyped != nil:
		return metric.Untyped.GetValue()
	case metric.Histogram != nil:
		return float64(metric.Histogram.GetSampleCount())
	case metric.Summary != nil:
		return float64(metric.Summary.GetSampleCount())
	}
	return 0
}

// parseMetrics reads a page in Prometheus' text format.
func parseMetrics(contentType string, page []byte) (metrics, error) {
	// Prometheus refuses a page without a content type that it knows.
	if media, _, err := mime.ParseMediaType(contentType); err != nil || media != "text/plain" && media != "application/openmetrics-text" {
		return metrics{}, fmt.Errorf("its content type is %q: want text/plain", contentType)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(page))
	if err != nil {
		return metrics{}, err
	}
	if len(families) == 0 {
		return metrics{}, fmt.Errorf("there is no metric in its %d bytes", len(page))
	}
	found := metrics{families: families}
	for name, family := range families {
		found.series += int64(len(family.GetMetric()))
		if family.GetType() == dto.MetricType_GAUGE && maybeCount(name) {
			found.gauges = append(found.gauges, name)
		}
	}
	return found, nil
}

// ofLibraries are the beginnings of the names of metrics that a program has from elsewhere.
var ofLibraries = []string{
	"go_", "process_", "promhttp_", "workqueue_", "controller_runtime_", "rest_client_", "leader_election_", "certwatcher_",
}

// noCount are the parts of names, split at underscores, that a number of objects does not
// have.
var noCount = []string{
	"seconds", "milliseconds", "bytes", "timestamp", "time", "ratio", "percent", "total", "created", "info", "cache", "cached",
	"generation", "version",
}

// maybeCount says whether a gauge of this name may count objects.
func maybeCount(name string) bool {
	isOf := func(library string) bool { return strings.HasPrefix(name, library) }
	says := func(part string) bool { return slices.Contains(noCount, part) }
	return !slices.ContainsFunc(ofLibraries, isOf) && !slices.ContainsFunc(strings.Split(strings.ToLower(name), "_"), says)
}

// roundDown rounds down to an integer that fits into a status.
func roundDown(value float64) int64 {
	switch {
	case value >= math.MaxInt64:
		return math.MaxInt64
	case value <= math.MinInt64:
		return math.MinInt64
	}
	return int64(math.Floor(value))
}
