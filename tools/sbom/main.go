package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/CycloneDX/cyclonedx-go"
)

func main() {
	name := flag.String("name", "", "name of what the programs are shipped in")
	version := flag.String("version", "", "its version")
	flag.Parse()
	if *name == "" || flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	materials, err := bill(*name, *version, flag.Args())
	if err == nil {
		err = cyclonedx.NewBOMEncoder(os.Stdout, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(materials)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
