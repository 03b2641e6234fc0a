package render

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// marker is the file that marks a folder of rendered tests. It has the names of the others, one in
// each line.
const marker = ".rendered-by-reconform"

// Folder returns the folder into which WriteDir puts the test: AREA/ID-SLUG, with the area
// and the slug of the scenario's own path.
func (r *Rendered) Folder() string {
	dir, err := filepath.Abs(filepath.Dir(r.Scenario.File))
	if err != nil {
		dir = filepath.Dir(r.Scenario.File)
	}
	return filepath.Join(filepath.Base(filepath.Dir(dir)), r.Scenario.Name+"-"+filepath.Base(dir))
}

// WriteDir writes tests into a folder, each as FOLDER/chainsaw-test.yaml, and other files
// beside them, by their names. The folder appears all at once or not at all. An existing folder is
// replaced if it is empty, or if WriteDir wrote all that is in it; otherwise WriteDir fails.
func WriteDir(out string, tests []*Rendered, beside map[string][]byte) (err error) {
	out, err = filepath.Abs(out)
	if err != nil {
		return fmt.Errorf("finding the output folder: %w", err)
	}
	if behind, err := filepath.EvalSymlinks(out); err == nil {
		out = behind // a link stays one
	}
	if err := mayReplace(out); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return fmt.Errorf("making the output folder: %w", err)
	}
	staging, err := os.MkdirTemp(filepath.Dir(out), "."+filepath.Base(out)+"-*")
	if err != nil {
		return fmt.Errorf("making a folder beside %s: %w", out, err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(staging)) }()

	fresh, old := filepath.Join(staging, "new"), filepath.Join(staging, "old")
	if err := writeAll(fresh, tests, beside); err != nil {
		return err
	}
	if err := os.Rename(out, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("moving the old %s away: %w", out, err)
	}
	if err := os.Rename(fresh, out); err != nil {
		return errors.Join(fmt.Errorf("moving the tests to %s: %w", out, err), ignoreMissing(os.Rename(old, out)))
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// mayReplace refuses a folder that was filled by somebody else.
func mayReplace(out string) error {
	if info, err := os.Stat(out); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is a file, not a folder: give another name", out)
	}
	entries, err := os.ReadDir(out)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("looking into the output folder: %w", err)
	case len(entries) == 0:
		return nil
	}
	written, err := os.ReadFile(filepath.Join(out, marker))
	if err != nil {
		return fmt.Errorf("%s is not empty and was not rendered by reconform: give another folder", out)
	}
	if len(written) == 0 {
		return nil // an earlier version did not say what it wrote
	}
	known := strings.Split(string(written), "\n")
	return filepath.WalkDir(out, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("looking into the output folder: %w", err)
		}
		name, err := filepath.Rel(out, path)
		if err != nil || entry.IsDir() || name == marker || slices.Contains(known, name) {
			return err
		}
		return fmt.Errorf("%s has %s, which reconform did not write, and the folder is replaced: move it away, or give another folder", out, name)
	})
}

func writeAll(dir string, tests []*Rendered, beside map[string][]byte) error {
	files, taken := map[string][]byte{}, map[string]string{}
	maps.Copy(files, beside)
	for _, test := range tests {
		folder := test.Folder()
		if other, ok := taken[folder]; ok {
			return fmt.Errorf("scenarios %s and %s would both be written to %s", other, test.Scenario.Name, folder)
		}
		taken[folder] = test.Scenario.Name
		data, err := test.YAML()
		if err != nil {
			return err
		}
		files[filepath.Join(folder, FileName)] = data
	}
	names := slices.Sorted(maps.Keys(files))
	files[marker] = []byte(strings.Join(names, "\n"))
	for name, data := range files {
		target := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return fmt.Errorf("making the folder for %s: %w", name, err)
		}
		if err := os.WriteFile(target, data, 0o644); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return nil
}
