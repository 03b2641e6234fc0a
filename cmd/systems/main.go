// Command systems prints a table of the reports of several controllers: what each claims,
// how much of that passed, and how much of the catalogue it covers.
//
//	systems DIR…
//
// Each DIR has the reports of a run. The exit status is 0 if nothing that a controller
// claims failed or was inconclusive, 1 if something did, and 2 if a report cannot be read.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
	"reconform.dev/reconform/internal/verdict"
)

func main() { os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr)) }

func execute(dirs []string, stdout, stderr io.Writer) int {
	reports, err := read(dirs)
	if err != nil {
		fmt.Fprintf(stderr, "error: %v\n", err)
		return 2
	}
	if err := printTable(stdout, reports); err != nil {
		fmt.Fprintf(stderr, "error: printing the table: %v\n", err)
		return 2
	}
	for _, r := range reports {
		if r.Verdict != v1alpha1.Conformant && r.Verdict != v1alpha1.Partial {
			return 1
		}
	}
	return 0
}

func read(dirs []string) ([]*v1alpha1.ConformanceReport, error) {
	if len(dirs) == 0 {
		return nil, errors.New("name the folders with the reports")
	}
	var reports []*v1alpha1.ConformanceReport
	for _, dir := range dirs {
		r, err := report.Read(dir)
		if err != nil {
			return nil, err
		}
		reports = append(reports, r)
	}
	return reports, nil
}

// printTable prints a row for each report.
func printTable(out io.Writer, reports []*v1alpha1.ConformanceReport) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "SYSTEM\tCLAIMS\tJUDGED\tPASSED\tFAILED\tINCONCLUSIVE\tCOVERAGE\tTIME\tVERDICT")
	for _, r := range reports {
		judged, s := 0, r.Summary
		for _, result := range r.Results {
			if result.Verdict != v1alpha1.Skipped {
				judged++
			}
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%d of %d\t%s\t%s\n", r.Profile, len(r.Claims.Features), judged, s.Passed,
			s.Failed+s.Flaky, s.Inconclusive+s.Blocked, judged, len(r.Results), report.Round(r.Durations.Total.Duration), r.Verdict)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, r := range reports {
		for _, result := range r.Results {
			if verdict.NeedsLook(result.Verdict) {
				fmt.Fprintf(out, "%s: %s %s: %s\n", r.Profile, result.Verdict, result.ID, result.Reason)
			}
		}
	}
	return nil
}
