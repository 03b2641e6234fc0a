package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
)

func main() {
	public := flag.String("public", "^$", "regular expression of the import paths that are public on purpose")
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	matches, err := regexp.Compile(*public)
	if err != nil {
		fmt.Fprintf(os.Stderr, "reading -public: %v\n", err)
		os.Exit(2)
	}
	found, err := unused(flag.Arg(0), matches.MatchString)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for _, line := range found {
		fmt.Println(line)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
}
