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
	home, err := l.home(scratchDir)
	return filesFolder(home), err
}

// Kubeconfig is where a replica finds it, whose Spec has this ScratchDir.
func (l *Launcher) Kubeconfig(scratchDir string) (string, error) {
	home, err := l.home(scratchDir)
	return kubeconfigPath(home), err
}

// home of a replica.
func (l *Launcher) home(scratchDir string) (string, error) {
	parent, err := scratchDir, error(nil)
	if l.contain != nil {
		parent, err = runFolder()
	}
	return homeIn(parent), err
}

func filesFolder(home string) string { return filepath.Join(home, "files") }

// homeIn is the HOME of a replica: in the runFolder where it is contained, else in its
// ScratchDir.
func homeIn(parent string) string { return filepath.Join(parent, "home") }

// runFolder is where a contained replica has what is its own.
func runFolder() (string, error) { return filepath.EvalSymlinks("/var/run") }

// files of the replica itself, for nobody else, in its HOME.
func (s *Spec) files(home string) []pid1.File {
	var files []pid1.File
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		files = append(files, pid1.File{Path: filepath.Join(filesFolder(home), name), Content: s.Files[name], Mode: 0o600})
	}
	return files
}
