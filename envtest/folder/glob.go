package folder

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
)

// Glob returns the paths in a folder that match a pattern, as [filepath.Glob] does. The name
// of the folder is not a part of the pattern: it may have brackets.
func Glob(dir, pattern string) ([]string, error) {
	found, err := fs.Glob(os.DirFS(cmp.Or(dir, ".")), pattern)
	for i, name := range found {
		found[i] = filepath.Join(dir, filepath.FromSlash(name))
	}
	return found, err
}
