package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: reportschema ROOT KIND")
		os.Exit(2)
	}
	schema, err := schemaOf(os.Args[1], os.Args[2])
	if err == nil {
		_, err = os.Stdout.Write(schema)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
