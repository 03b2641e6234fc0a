package main

import (
	"io/fs"
	"path"

	"reconform.dev/reconform/internal/lab"
	"reconform.dev/reconform/internal/lab/student"
)

// module writes a module with a package for each start and each solution in Go. It has
// what a student gets.
func module(labs fs.FS, dir string) error {
	all, err := lab.Read(labs)
	if err != nil {
		return err
	}
	packages := map[string]string{}
	for _, l := range all {
		for _, point := range points(l) {
			files, err := student.Files(labs, l.Folder, point)
			if err != nil {
				return err
			}
			for name, text := range files {
				switch {
				case path.Ext(name) == ".go":
					packages[path.Join(l.Folder, point, name)] = text
				case name == "go.mod", name == "go.sum":
					packages[name] = text
				}
			}
		}
	}
	return write(dir, packages)
}

// points of a lab at which it has a controller of its own.
func points(l *lab.Lab) []string {
	switch l.Kind {
	case lab.Build, lab.Beyond:
		return []string{"start", "solution"}
	case lab.Debug, lab.Exercise:
		return []string{"start"}
	default:
		return nil
	}
}
