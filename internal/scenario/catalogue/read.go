package catalogue

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"go.yaml.in/yaml/v3"

	"reconform.dev/reconform/scenarios"
)

// Embedded reads the project's own scenarios.
func Embedded() ([]Requirement, error) {
	return read(scenarios.FS, "scenarios", head)
}

// Read reads the scenarios in fsys, whose root is called root in messages. It returns them
// in the order of their areas and IDs. The error joins all problems.
func Read(fsys fs.FS, root string) ([]Requirement, error) {
	return read(fsys, root, checked)
}

func read(fsys fs.FS, root string, document func([]byte) (*yaml.Node, error)) ([]Requirement, error) {
	known, err := features()
	if err != nil {
		return nil, err
	}
	var (
		requirements []Requirement
		problems     []error
		seen         = map[string]string{}
		files        []scenario
	)
	contracts, err := readContracts(fsys, root)
	if err != nil {
		return nil, err
	}
	all := append(areas(), contracts...)
	err = fs.WalkDir(fsys, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Base(file) != fileName {
			return err
		}
		raw, err := fs.ReadFile(fsys, file)
		if err != nil {
			return err
		}
		s := scenario{file: path.Join(root, file), document: document, features: known, areas: all}
		requirement := s.parse(raw)
		requirement.Source, requirement.Path, requirement.Raw = fsys, file, raw
		if first, ok := seen[requirement.ID]; ok && requirement.ID != "" {
			s.problem(s.idNode, "%s is the ID of %s already", requirement.ID, first)
		} else {
			seen[requirement.ID] = s.file
		}
		requirements = append(requirements, requirement)
		files = append(files, s)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading scenarios: %w", err)
	}
	if !slices.ContainsFunc(requirements, func(r Requirement) bool { return r.ID == "" }) { // each could be read
		checkReliance(files, requirements)
	}
	for _, s := range files {
		problems = append(problems, s.problems...)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	if len(requirements) == 0 {
		return nil, fmt.Errorf("reading scenarios: there is no %s below %s", fileName, root)
	}
	sortRequirements(requirements, all)
	return requirements, nil
}
