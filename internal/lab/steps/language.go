package steps

import "path"

// Language is one in which there are starts and solutions. A student may use any other:
// the check knows only a profile.
type Language struct {
	// Name of it, as students give it.
	Name string
	// Last is the last step that has a start in it.
	Last int

	sources []source
}

// source is a folder of the labs, and which of its files are meant.
type source struct{ folder, names string }

// Go is the language of the module.
func Go() Language {
	return Language{Name: "go", Last: 12, sources: []source{{"controller", "*"}}}
}

// Node is JavaScript, on Node.js. What such a controller may do is the same as in Go.
func Node() Language {
	return Language{Name: "node", Last: 3, sources: []source{{"node", "*.js"}, {"node", "*.yaml"}, {"controller", "rbac.yaml"}}}
}

// Languages of the labs.
func Languages() []Language { return []Language{Go(), Node()} }

// Folder of a start or a solution in that of its lab.
func (l Language) Folder(point string) string {
	if l.Name == Go().Name {
		return point
	}
	return path.Join(l.Name, point)
}
