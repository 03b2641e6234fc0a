// Command verdicts compares, row by row, what a run found with what was found before. It is
// for controllers that are known to fail some rows, mostly third-party ones. A file has the
// rows that failed or were blocked, and the number of rows that passed. The version of the
// controller is fixed, so only the suite can change a verdict. Such a change must be seen
// here before a user sees it.
//
//	verdicts [-without-slow] [-write] VERDICTS REPORT
//
// The exit status is 0 if all rows are as they were, 1 if not, and 2 if they could not
// be compared.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"reconform.dev/reconform/internal/scenario/catalogue"
)

// The exit statuses.
const (
	statusSame    = 0
	statusChanged = 1
	statusUsage   = 2
)

func main() { os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr)) }

func execute(args []string, stdout, stderr io.Writer) int {
	differences, err := compareFiles(args, stdout, stderr)
	switch {
	case err != nil:
		fmt.Fprintf(stderr, "error: %v\n", err)
		return statusUsage
	case differences > 0:
		return statusChanged
	default:
		return statusSame
	}
}

// compareFiles does what the arguments ask for, and counts the differences.
func compareFiles(args []string, stdout, stderr io.Writer) (int, error) {
	set := flag.NewFlagSet("verdicts", flag.ContinueOnError)
	set.SetOutput(stderr)
	withoutSlow := set.Bool("without-slow", false, "the run left out what is slow")
	write := set.Bool("write", false, "write into VERDICTS what the run found; a row that failed needs its because by hand")
	if err := set.Parse(args); err != nil {
		return 0, err
	}
	if set.NArg() != 2 {
		return 0, errors.New("give two files: VERDICTS and REPORT (conformance-report.yaml)")
	}
	known, err := readVerdicts(set.Arg(0))
	if err != nil {
		return 0, err
	}
	report, err := readReport(set.Arg(1))
	if err != nil {
		return 0, err
	}
	requirements, err := catalogue.Embedded()
	if err != nil {
		return 0, err
	}
	requirements = catalogue.Of(requirements, catalogue.WebApps)
	if judged := (controller{report.Implementation.Name, report.Implementation.Version}); known.Controller != judged {
		fmt.Fprintf(stdout, "%s is about %s %s, the report about %s %s\n",
			set.Arg(0), known.Controller.Name, known.Controller.Version, judged.Name, judged.Version)
		return 1, nil
	}
	if *write {
		known.update(report.Results, requirements)
		return 0, known.write(set.Arg(0))
	}
	differences := known.compare(report.Results, requirements, *withoutSlow)
	for _, difference := range differences {
		fmt.Fprintln(stdout, difference)
	}
	fmt.Fprintf(stdout, "%s: %d of %d rows were judged, %d differences from %s\n",
		report.Implementation.Name, len(report.Results), len(requirements), len(differences), set.Arg(0))
	return len(differences), nil
}
