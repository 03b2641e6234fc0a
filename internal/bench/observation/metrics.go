package observation

import (
	"bytes"
	"fmt"
	"math"
	"mime"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// parseMetrics reads a page in Prometheus' text format. values has the sum of each metric
// over its labels, by name. series is the number of series, one for each set of labels.
func parseMetrics(contentType string, page []byte) (values map[string]float64, series int64, err error) {
	// Prometheus refuses a page without a content type that it knows.
	if media, _, err := mime.ParseMediaType(contentType); err != nil || media != "text/plain" && media != "application/openmetrics-text" {
		return nil, 0, fmt.Errorf("its content type is %q: want text/plain", contentType)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(page))
	if err != nil {
		return nil, 0, err
	}
	if len(families) == 0 {
		return nil, 0, fmt.Errorf("there is no metric in its %d bytes", len(page))
	}
	values = make(map[string]float64, len(families))
	for name, family := range families {
		values[name] = 0
		series += int64(len(family.GetMetric()))
		for _, metric := range family.GetMetric() {
			value := 0.0
			switch {
			case metric.Counter != nil:
				value = metric.Counter.GetValue()
			case metric.Gauge != nil:
				value = metric.Gauge.GetValue()
			case metric.Untyped != nil:
				value = metric.Untyped.GetValue()
			case metric.Histogram != nil: // the number of observations
				value = float64(metric.Histogram.GetSampleCount())
			case metric.Summary != nil:
				value = float64(metric.Summary.GetSampleCount())
			}
			if !math.IsNaN(value) {
				values[name] += value
			}
		}
	}
	return values, series, nil
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
