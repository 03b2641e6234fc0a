package steps

import (
	"fmt"
	"io/fs"
	"path"
)

// Files are those of the controller at a point, by name. The source is its folder.
func Files(source fs.FS, at Point) (map[string]string, error) {
	entries, err := fs.ReadDir(source, ".")
	if err != nil {
		return nil, fmt.Errorf("reading the source of the labs: %w", err)
	}
	files := map[string]string{}
	for _, entry := range entries {
		name := entry.Name()
		text, err := fs.ReadFile(source, name)
		if err != nil {
			return nil, fmt.Errorf("reading the source of the labs: %w", err)
		}
		made, err := Render(string(text), at)
		if err != nil {
			return nil, fmt.Errorf("making %s: %s: %w", at, name, err)
		}
		if made != "" && path.Ext(name) == ".go" {
			if made, err = goFile(name, made); err != nil {
				return nil, fmt.Errorf("making %s: %w", at, err)
			}
		}
		if made != "" {
			files[name] = made
		}
	}
	return files, nil
}

// String says which point it is, in words.
func (p Point) String() string { return fmt.Sprintf("the %s of step %02d", p.Folder(), p/2) }
