// Package metrics reads pages of metrics that a replica serves, in Prometheus' text format
// or in that of OpenMetrics, and finds in them the series that a profile names.
package metrics
