// Package report shows what a run found: conformance-report.yaml for machines, junit.xml
// for CI systems, summary.md for the pull request, badge.svg and badge.json for a README.
// All are made from one ConformanceReport, and each file is written completely or not at
// all.
//
// In: a ConformanceReport.
// Out: files, and lines on the terminal.
//
// Below it, page makes report.html, the page for people; merge makes one report from those
// of several runs; evidence says in words why a requirement was not met; logline makes
// lines of a log readable; and paragraph breaks texts into lines.
//
// A [Console] shows the run to the person who started it. On a terminal it shows live
// lines of what runs and what it waits for; elsewhere it prints plain lines.
package report
