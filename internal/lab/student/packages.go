package student

import (
	"io/fs"
	"path"

	"reconform.dev/reconform/internal/lab"
)

// Packages returns the files of a Go module, by path. It has a package for each start and
// each solution, as students get them, so that go vet and the linters can check them all.
func Packages(labs fs.FS) (map[string]string, error) {
	all, err := lab.Read(labs)
	if err != nil {
		return nil, err
	}
	module := map[string]string{}
	for _, l := range all {
		for _, point := range points(l) {
			files, err := Files(labs, l.Folder, point)
			if err != nil {
				return nil, err
			}
			for name, text := range files {
				switch {
				case path.Ext(name) == ".go":
					module[path.Join(l.Folder, point, name)] = text
				case name == "go.mod", name == "go.sum":
					module[name] = text
				}
			}
		}
	}
	return module, nil
}

// points returns the points at which a lab has its own controller, in Go.
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
