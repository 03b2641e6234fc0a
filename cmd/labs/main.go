// Command labs makes files from the sources of the labs.
//
//	labs generate FOLDER
//	labs module FOLDER
//
// generate writes the committed files into the folder of the labs: the forms for
// predictions, and the files from which a student's module is made. module writes a Go
// module with a package for each start and each solution, so that go vet and the linters
// can read them.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"reconform.dev/reconform/internal/lab/student"
	"reconform.dev/reconform/labs"
)

func main() {
	if len(os.Args) == 3 {
		switch dir := os.Args[2]; os.Args[1] {
		case "generate":
			exit(generate(context.Background(), dir))
		case "module":
			files, err := student.Packages(labs.FS)
			if err == nil {
				err = write(dir, files)
			}
			exit(err)
		}
	}
	fmt.Fprintln(os.Stderr, "usage: labs generate FOLDER | labs module FOLDER")
	os.Exit(2)
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "labs:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// write writes files into a folder, by their path in it.
func write(dir string, files map[string]string) error {
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return fmt.Errorf("making the folder of %s: %w", name, err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return nil
}
