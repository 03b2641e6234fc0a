package steps

import (
	"fmt"
	"io/fs"
	"path"
)

// Language is a language with starts and solutions. A student may use any other one,
// because the check knows only a profile.
type Language struct {
	// Name of the language, as students write it.
	Name string
	// Last is the last step that has a start in this language.
	Last int

	patterns []string // of the source files
}

// Go is the language of the module.
func Go() Language {
	return Language{Name: "go", Last: beyond, patterns: []string{"controller/*"}}
}

// Node is JavaScript, on Node.js. Its controllers need the same rights as those in Go.
func Node() Language {
	return Language{Name: "node", Last: 3, patterns: []string{"node/*.js", "node/*.yaml", "controller/rbac.yaml"}}
}

// Languages of the labs.
func Languages() []Language { return []Language{Go(), Node()} }

// Folder returns the folder of a start or a solution, inside that of its lab.
func (l Language) Folder(point string) string {
	if l.Name == Go().Name {
		return point
	}
	return path.Join(l.Name, point)
}

// source returns the text of each file of the complete controller, with its marks, by name.
func (l Language) source(labs fs.FS) (map[string]string, error) {
	texts := map[string]string{}
	for _, pattern := range l.patterns {
		files, err := fs.Glob(labs, pattern)
		if err != nil {
			return nil, fmt.Errorf("looking for the source of the labs: %w", err)
		}
		if len(files) == 0 {
			return nil, fmt.Errorf("the source of the labs has no file %s", pattern)
		}
		for _, file := range files {
			text, err := fs.ReadFile(labs, file)
			if err != nil {
				return nil, fmt.Errorf("reading the source of the labs: %w", err)
			}
			texts[path.Base(file)] = string(text)
		}
	}
	return texts, nil
}
