// Command field writes the field page: reports of controllers as they are committed, and a
// table of them.
//
//	field PAGE [DIR…]
//
// From each DIR, which has the reports of a run, PAGE/NAME.yaml is made: the report without
// what is of one machine or too long to be kept. Then PAGE/README.md is made of all that is
// in PAGE. The exit status is 2 where something cannot be read or written.
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
