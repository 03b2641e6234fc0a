package steps

import (
	"fmt"
	"io/fs"
	"path"
)

// Files are those of the controller at a point, by name. The source is its folder.
func Files(source fs.FS, at Point) (map[string]string, error) {
	texts, err := read(source)
	if err != nil {
		return nil, err
	}
	return render(texts, at)
}

// read the source, by the names of its files.
func read(source fs.FS) (map[string]string, error) {
	entries, err := fs.ReadDir(source, ".")
	if err != nil {
		return nil, fmt.Errorf("reading the source of the labs: %w", err)
	}
	texts := map[string]string{}
	for _, entry := range entries {
		text, err := fs.ReadFile(source, entry.Name())
		if err != nil {
			return nil, fmt.Errorf("reading the source of the labs: %w", err)
		}
		texts[entry.Name()] = string(text)
	}
	return texts, nil
}

func render(texts map[string]string, at Point) (map[string]string, error) {
	files := map[string]string{}
	for name, text := range texts {
		made, err := Render(text, at)
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
