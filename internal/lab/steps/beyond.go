package steps

import (
	"fmt"
	"io/fs"
	"path"

	"reconform.dev/reconform/internal/mutant"
)

// beyond is the step of the labs that come after the last build lab. Each of them goes on
// from there, by a patch of the source: its marks are of that step.
const beyond = 13

// Beyond are the generated files of the labs in beyond, by their path in the folder of
// labs.
func Beyond(labs fs.FS) (map[string]string, error) {
	patches, err := fs.Glob(labs, "beyond/*/step.patch")
	if err != nil {
		return nil, fmt.Errorf("looking for labs beyond: %w", err)
	}
	tree := map[string]string{}
	for _, file := range patches {
		source, err := patched(labs, file)
		if err != nil {
			return nil, err
		}
		for _, at := range []Point{Start(beyond), Solution(beyond)} {
			files, err := render(source, at)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			for name, text := range files {
				tree[path.Join(path.Dir(file), at.Folder(), name)] = header("controller", name) + text
			}
		}
	}
	return tree, nil
}

// patched is the source with a patch.
func patched(labs fs.FS, file string) (map[string]string, error) {
	text, err := fs.ReadFile(labs, file)
	if err != nil {
		return nil, fmt.Errorf("reading a step: %w", err)
	}
	patch, _, err := mutant.ParsePatch(text)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	sub, err := fs.Sub(labs, "controller")
	if err != nil {
		return nil, fmt.Errorf("finding the source of the labs: %w", err)
	}
	source, err := read(sub)
	if err != nil {
		return nil, err
	}
	if err := patch.Change(source); err != nil {
		return nil, fmt.Errorf("applying %s to labs/controller: %w", file, err)
	}
	return source, nil
}
