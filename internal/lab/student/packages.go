package student

import (
	"io/fs"
	"path"

	"reconform.dev/reconform/internal/lab"
)

// Packages make a Go module with a package for each start and each solution, as students
// get them: its files, by path. go vet and the linters can read it as a whole.
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

// points of a lab at which it has a controller of its own, in Go.
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
