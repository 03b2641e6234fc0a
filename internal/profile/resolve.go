package profile

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/internal/profile/nearest"
)

// Default is the name of the profile that is used if none is named.
const Default = "reference"

// builtinDir is the folder of the built-in profiles in the project's tree.
var builtinDir = filepath.Join("fixtures", "profiles")

// Resolve loads a profile by name or file. An argument that has a slash or ends in .yaml or
// .yml is a file. Any other is the name of a built-in profile, and the empty string means
// the default one.
func Resolve(nameOrFile string) (*Profile, error) {
	if IsFile(nameOrFile) {
		return Load(nameOrFile)
	}
	dir, err := findBuiltin()
	var names []string
	if err == nil {
		if names, err = builtinNames(dir); err != nil {
			return nil, err
		}
	}
	name := cmp.Or(nameOrFile, Default)
	if slices.Contains(names, name) {
		return Load(filepath.Join(dir, name+".yaml"))
	}
	if err := notAName(nameOrFile); err != nil {
		return nil, err
	}
	switch {
	case err == nil:
		return nil, fmt.Errorf("no profile %q among the %d in %s%s; a file is named with a slash or .yaml, as in ./%s.yaml",
			name, len(names), dir, nearest.Question(name, names), name)
	case nameOrFile == "":
		return nil, fmt.Errorf("no profile is given, and the built-in one, %q, was not found: %w (reconform init writes one)", name, err)
	default:
		return nil, fmt.Errorf("looking for profile %q: %w", name, err)
	}
}

// notAName says of an argument that is not the name of a built-in profile that there is a
// file or a folder of that name, which was perhaps meant.
func notAName(argument string) error {
	info, err := os.Stat(argument)
	switch {
	case err != nil:
		return nil //nolint:nilerr // nothing there: it is a name
	case info.IsDir():
		return fmt.Errorf("profile %s: this is a folder: name the file in it, as in %s", argument, filepath.Join(argument, "mine.yaml"))
	default:
		return fmt.Errorf("profile %s: the name of the file must end in .yaml or .yml, or have a slash, as in ./%[1]s", argument)
	}
}

// IsFile tells whether a profile argument is a file and not a name.
func IsFile(nameOrFile string) bool {
	return strings.ContainsRune(nameOrFile, '/') || strings.ContainsRune(nameOrFile, filepath.Separator) ||
		strings.HasSuffix(nameOrFile, ".yaml") || strings.HasSuffix(nameOrFile, ".yml")
}

// findBuiltin finds the folder of the built-in profiles: in the tree that the running
// program was built in (bin/reconform), or else in the tree around the working directory.
func findBuiltin() (string, error) {
	var starts []string
	if executable, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(executable); err == nil {
			executable = real
		}
		starts = append(starts, filepath.Dir(executable))
	}
	if wd, err := os.Getwd(); err == nil {
		starts = append(starts, wd)
	}
	for _, start := range starts {
		for dir := start; ; dir = filepath.Dir(dir) {
			candidate := filepath.Join(dir, builtinDir)
			if _, err := os.Stat(filepath.Join(candidate, Default+".yaml")); err == nil {
				return candidate, nil
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return "", fmt.Errorf("no folder %s at or above %s: give the profile as a file", builtinDir, strings.Join(starts, " or "))
}

// Names returns the names of the built-in profiles.
func Names() ([]string, error) {
	dir, err := findBuiltin()
	if err != nil {
		return nil, err
	}
	return builtinNames(dir)
}

func builtinNames(dir string) ([]string, error) {
	files, err := folder.Glob(dir, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("listing the profiles in %s: %w", dir, err)
	}
	names := make([]string, 0, len(files))
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".yaml"))
	}
	return names, nil
}
