package observation

import (
	"fmt"
	"math"
	"mime"
	"slices"
	"strings"

	"reconform.dev/reconform/internal/process/metrics"
)

// parseMetrics reads a page of metrics.
func parseMetrics(contentType, page string) (*metrics.Page, error) {
	// Prometheus refuses a page without a content type that it knows.
	if media, _, err := mime.ParseMediaType(contentType); err != nil || media != "text/plain" && media != "application/openmetrics-text" {
		return nil, fmt.Errorf("its content type is %q: want text/plain", contentType)
	}
	found, err := metrics.Parse(page)
	if err != nil {
		return nil, err
	}
	if found.Size() == 0 {
		return nil, fmt.Errorf("there is no metric in its %d bytes", len(page))
	}
	return found, nil
}

// noCount are the parts of names, split at underscores, that a number of objects does not
// have.
var noCount = []string{
	"seconds", "milliseconds", "bytes", "timestamp", "time", "ratio", "percent", "total", "created", "info", "cache", "cached",
	"generation", "version",
}

// maybeCount says whether a gauge of this name may count objects.
func maybeCount(name string) bool {
	says := func(part string) bool { return slices.Contains(noCount, part) }
	return !metrics.OfLibrary(name) && !slices.ContainsFunc(strings.Split(strings.ToLower(name), "_"), says)
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
