// Command editorschema writes the JSON Schema of profiles to the file that is its argument.
// Editors check profiles against it.
package main

import (
	"fmt"
	"os"

	"reconform.dev/reconform/internal/profile"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: editorschema FILE")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "editorschema:", err)
		os.Exit(1)
	}
}

func write(file string) error {
	schema, err := profile.EditorSchema()
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, schema, 0o644); err != nil {
		return fmt.Errorf("writing the schema: %w", err)
	}
	return nil
}
