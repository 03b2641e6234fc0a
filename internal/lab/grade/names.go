package grade

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reconform.dev/reconform/internal/record/sanitize"
)

// Names returns names for submissions: the name of the folder, or its path if another
// folder has the same name.
func Names(dirs []string) []string {
	count := map[string]int{}
	for _, dir := range dirs {
		count[filepath.Base(filepath.Clean(dir))]++
	}
	var names []string
	for _, dir := range dirs {
		name := filepath.Base(filepath.Clean(dir))
		if count[name] > 1 || name == "." || name == ".." {
			name = filepath.Clean(dir)
		}
		names = append(names, sanitize.Text(name))
	}
	return names
}

// FoldersToHide returns the folders that must be hidden so that no submission can see
// the others: the parent folders of the submissions.
func FoldersToHide(dirs []string) (hidden []string, err error) {
	for _, dir := range dirs {
		absolute, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("finding %s: %w", dir, err)
		}
		if parent := filepath.Dir(absolute); parent != "/" {
			absolute = parent
		}
		// The process that grades gets them as a list with colons.
		if strings.ContainsRune(absolute, filepath.ListSeparator) {
			return nil, fmt.Errorf("the folder %s, which must be hidden from submissions, has a colon in its path: move it to one that has none", absolute)
		}
		if !slices.Contains(hidden, absolute) {
			hidden = append(hidden, absolute)
		}
	}
	return hidden, nil
}

// AnyInGo tells whether any submission must be built.
func AnyInGo(dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool {
		_, err := os.Lstat(filepath.Join(dir, "go.mod"))
		return !errors.Is(err, fs.ErrNotExist)
	})
}
