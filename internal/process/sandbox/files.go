//go:build unix

package sandbox

import (
	"maps"
	"path/filepath"
	"slices"

	"reconform.dev/reconform/internal/process/sandbox/internal/pid1"
)

// FilesFolder returns the folder in which a replica finds the Files of its Spec, if that
// has this ScratchDir.
func (l *Launcher) FilesFolder(scratchDir string) (string, error) {
	home, err := l.home(scratchDir)
	return filesFolder(home), err
}

// Kubeconfig returns the path of a replica's kubeconfig, if its Spec has this ScratchDir.
func (l *Launcher) Kubeconfig(scratchDir string) (string, error) {
	home, err := l.home(scratchDir)
	return kubeconfigPath(home), err
}

// home returns the HOME of a replica.
func (l *Launcher) home(scratchDir string) (string, error) {
	parent, err := scratchDir, error(nil)
	if l.contain != nil {
		parent, err = runFolder()
	}
	return homeIn(parent), err
}

func filesFolder(home string) string { return filepath.Join(home, "files") }

// homeIn returns the HOME of a replica. The parent is the runFolder if the replica is
// contained, and its ScratchDir otherwise.
func homeIn(parent string) string { return filepath.Join(parent, "home") }

// runFolder returns the folder for the files of a contained replica.
func runFolder() (string, error) { return filepath.EvalSymlinks("/var/run") }

// files returns the files in the HOME of the replica that only it may read.
func (s *Spec) files(home string) []pid1.File {
	var files []pid1.File
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		files = append(files, pid1.File{Path: filepath.Join(filesFolder(home), name), Content: s.Files[name], Mode: 0o600})
	}
	return files
}
