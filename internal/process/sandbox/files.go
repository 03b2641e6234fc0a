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
func (l *Launcher) FilesFolder(scratchDir string) string {
	if l.contain != nil {
		return filesFolder("/tmp")
	}
	return filesFolder(temporaryIn(scratchDir))
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

// filesFolder returns the folder of the Files below a replica's folder for temporary files. It is
// the one in which controller-runtime looks for the certificate of its webhook server, if
// nothing names another.
func filesFolder(tmp string) string { return filepath.Join(tmp, "k8s-webhook-server", "serving-certs") }

// temporaryIn returns the folder for temporary files of a replica that is not contained.
func temporaryIn(scratchDir string) string { return filepath.Join(scratchDir, "tmp") }

// homeIn returns the HOME of a replica. The parent is the runFolder if the replica is
// contained, and its ScratchDir otherwise.
func homeIn(parent string) string { return filepath.Join(parent, "home") }

// runFolder returns the folder for the files of a contained replica.
func runFolder() (string, error) { return filepath.EvalSymlinks("/var/run") }

// files returns the Files of a replica that has this folder for temporary files.
func (s *Spec) files(tmp string) []pid1.File {
	var files []pid1.File
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		files = append(files, pid1.File{Path: filepath.Join(filesFolder(tmp), name), Content: s.Files[name], Mode: 0o600})
	}
	return files
}
