// Package report writes what a run found: conformance-report.yaml for machines,
// junit.xml for CI systems, summary.md for the pull request. All are made of one
// ConformanceReport, and each is written whole or not at all.
package report
