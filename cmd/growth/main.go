// Command growth shows how the number of plans of an exploration grows with what a controller
// does: with its writes, and with the kinds that it watches.
//
//	growth [-write DIR] REPORTS…
//
// Each of REPORTS is the folder of an exploration (reconform explore --report-dir). Growth
// prints a table, and how many plans a write and a watched kind cost. With -write it puts
// both into DIR/explore.md, between two marks, and the picture into DIR/explore.svg.
//
// The exit status is 0, or 2 for wrong usage and for reports that cannot be read.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"reconform.dev/reconform/internal/report"
)

func main() { os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr)) }

func execute(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("growth", flag.ContinueOnError)
	flags.SetOutput(stderr)
	into := flags.String("write", "", "`DIR` whose explore.md gets the table, and explore.svg the picture")
	if flags.Parse(args) != nil {
		return 2
	}
	if err := show(flags.Args(), *into, stdout); err != nil {
		fmt.Fprintln(stderr, "error:", err)
		return 2
	}
	return 0
}

func show(dirs []string, into string, stdout io.Writer) error {
	var found []explored
	for _, dir := range dirs {
		r, err := report.ReadExplored(dir)
		if err != nil {
			return err
		}
		found = append(found, measure(r))
	}
	if len(found) == 0 {
		return errors.New("name the folder of at least one exploration")
	}
	text := table(found)
	if into == "" {
		_, err := io.WriteString(stdout, text)
		return err
	}
	return write(into, text, found)
}
