package student

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"reconform.dev/reconform/envtest/folder"
)

// Checked stores what a check has found.
func (f *Folder) Checked(reached []string, all bool) error {
	f.Checks++
	f.Reached = reached
	if all && f.Passed == nil {
		now := time.Now().Truncate(time.Second)
		f.Passed = &now
	}
	return f.Save()
}

// Under finds the folders of a student in dir, and dir itself if it is one, by their lab.
// If there are two for a lab, the finished one counts.
func Under(dir string) (map[string]*Folder, error) {
	marks, err := folder.Glob(dir, "*/"+progressFile)
	if err != nil {
		return nil, fmt.Errorf("looking for labs in %s: %w", dir, err)
	}
	marks = append(marks, filepath.Join(dir, progressFile))
	found := map[string]*Folder{}
	for _, mark := range marks {
		f, err := Open(filepath.Dir(mark))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if have := found[f.Lab]; have == nil || have.Passed == nil {
			found[f.Lab] = f
		}
	}
	return found, nil
}
