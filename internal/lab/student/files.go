package student

import (
	"fmt"
	"io/fs"

	"reconform.dev/reconform/internal/lab/mistake"
	"reconform.dev/reconform/internal/lab/steps"
)

// Files of a student's folder at a point of a lab: start or solution.
func Files(labs fs.FS, lab, point string) (map[string]string, error) {
	wrong, err := mistake.Of(labs, lab)
	if err != nil {
		return nil, err
	}
	folder := lab + "/" + point
	if wrong != nil {
		folder = mistake.Base
	}
	entries, err := fs.ReadDir(labs, folder)
	if err != nil {
		return nil, fmt.Errorf("lab %s has no %s: %w", lab, point, err)
	}
	sources := map[string]string{"go.mod": steps.ModFile, "go.sum": steps.SumFile, "crd.yaml": steps.CRDFile, "README.md": lab + "/README.md"}
	for _, entry := range entries {
		sources[entry.Name()] = folder + "/" + entry.Name()
	}
	files := map[string]string{}
	for name, source := range sources {
		text, err := fs.ReadFile(labs, source)
		if err != nil {
			return nil, fmt.Errorf("reading the lab's files: %w", err)
		}
		files[name] = steps.WithoutHeader(string(text))
	}
	if wrong != nil && point == "start" {
		err = wrong.Make(files)
	}
	return files, err
}
