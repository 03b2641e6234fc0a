//go:build unix

package sandbox

import (
	"maps"
	"path/filepath"
	"slices"

	"reconform.dev/reconform/internal/sandbox/internal/pid1"
)

// FilesFolder is where a replica finds the Files of its Spec, which has this ScratchDir.
func (l *Launcher) FilesFolder(scratchDir string) (string, error) {
	home, err := homePath(l.contain != nil, scratchDir)
	return filesFolder(home), err
}

func filesFolder(home string) string { return filepath.Join(home, "files") }

// homePath is the HOME of a replica.
func homePath(contained bool, scratchDir string) (string, error) {
	if !contained {
		return filepath.Join(scratchDir, "home"), nil
	}
	run, err := filepath.EvalSymlinks("/var/run")
	return filepath.Join(run, "home"), err
}

// files of the replica itself, for nobody else, in its HOME.
func (s *Spec) files(home string) []pid1.File {
	var files []pid1.File
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		files = append(files, pid1.File{Path: filepath.Join(filesFolder(home), name), Content: s.Files[name], Mode: 0o600})
	}
	return files
}
