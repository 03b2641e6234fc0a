// Command field writes the field page: reports of controllers in the form that is
// committed, and a table of them.
//
//	field PAGE [DIR…]
//
// Each DIR has the reports of a run. Command field makes PAGE/NAME.yaml from it: the report
// without what is specific to one machine or too long to keep. Then it makes PAGE/README.md
// from everything in PAGE. The exit status is 2 if something cannot be read or written.
package main

import (
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(execute(os.Args[1:], os.Stderr)) }

func execute(args []string, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprintln(stderr, "usage: field PAGE [DIR…]")
		return 2
	}
	for _, dir := range args[1:] {
		if err := commit(args[0], dir); err != nil {
			fmt.Fprintf(stderr, "error: %v\n", err)
			return 2
		}
	}
	if err := writePage(args[0]); err != nil {
		fmt.Fprintf(stderr, "error: %v\n", err)
		return 2
	}
	return 0
}
