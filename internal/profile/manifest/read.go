package manifest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Read reads every object of a path. The path is a file; a folder with a kustomization,
// which is built; a Helm chart (a folder or a .tgz), which is rendered with its own values
// and those of the files; or a folder of files, without its subfolders. The error is
// [strictyaml.Problems] if it is about the content of a file.
func Read(path string, values []string) ([]Object, error) {
	objects, _, err := ReadNoted(path, values)
	return objects, err
}

// ReadNoted does the same, and returns notes: what of the path is left out, and what helm
// or kustomize would warn of.
func ReadNoted(path string, values []string) (objects []Object, notes []string, err error) {
	kind, err := kindOf(path)
	if err != nil {
		return nil, nil, err
	}
	switch kind {
	case aChart:
		return readChart(chartOf(path), values)
	case aKustomization:
		return build(folderOf(path))
	case aFolder:
		notes = subfolders(path)
	}
	files, err := plainFiles(path, kind)
	if err != nil {
		return nil, nil, err
	}
	for _, file := range files {
		found, err := readFile(file)
		if err != nil {
			return nil, nil, inChart(file, err)
		}
		objects = append(objects, found...)
	}
	return objects, notes, nil
}

// Files returns the files that the objects of a path are made from. They are absolute if
// the path is.
func Files(path string) ([]string, error) {
	kind, err := kindOf(path)
	if err != nil {
		return nil, err
	}
	switch kind {
	case aChart:
		return chartFiles(chartOf(path))
	case aKustomization:
		files, _, err := survey(folderOf(path))
		return files, err
	default:
		return plainFiles(path, kind)
	}
}

// CheckThere returns an error if a path leads to nothing that can be read.
func CheckThere(path string) error {
	_, err := kindOf(path)
	return err
}

// IsChart tells whether a path is a Helm chart.
func IsChart(path string) bool {
	kind, err := kindOf(path)
	return err == nil && kind == aChart
}

// pathKind is what a path leads to.
type pathKind int

const (
	aFile pathKind = iota
	aFolder
	aKustomization
	aChart
)

func kindOf(path string) (pathKind, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist) && CheckLocal(path) != nil:
		return aFile, CheckLocal(path)
	case errors.Is(err, os.ErrNotExist) && filepath.Base(path) == "-":
		return aFile, fmt.Errorf("no such file: %s (the standard input is not read: name a file)", path)
	case errors.Is(err, os.ErrNotExist):
		return aFile, fmt.Errorf("no such file: %s", path)
	case err != nil:
		return aFile, err
	case isFile(filepath.Join(chartOf(path), chartFile)), info.Mode().IsRegular() && isArchive(path):
		return aChart, nil
	case info.IsDir() && kustomizationOf(path) != "", !info.IsDir() && slices.Contains(kustomizations, filepath.Base(path)):
		return aKustomization, nil
	case info.IsDir():
		return aFolder, nil
	default:
		return aFile, nil
	}
}

// isArchive tells whether a file is compressed with gzip, as the archive of a chart is.
func isArchive(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	start := make([]byte, 2)
	_, err = io.ReadFull(file, start)
	return err == nil && string(start) == "\x1f\x8b"
}

// chartOf returns the folder of a chart. The path may be that of its Chart.yaml.
func chartOf(path string) string {
	if filepath.Base(path) == chartFile && isFile(path) {
		return filepath.Dir(path)
	}
	return path
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// folderOf returns the folder of a kustomization. The path may be that of its file.
func folderOf(path string) string {
	if isFile(path) {
		return filepath.Dir(path)
	}
	return path
}

// plainFiles returns the file itself, or the files of a folder.
func plainFiles(path string, kind pathKind) (files []string, err error) {
	if kind == aFile {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("reading folder %s: %w", path, err)
	}
	var folders []string
	for _, entry := range entries {
		switch {
		case entry.IsDir():
			folders = append(folders, filepath.Join(path, entry.Name()))
		case isManifest(entry.Name()):
			files = append(files, filepath.Join(path, entry.Name()))
		}
	}
	switch {
	case len(files) > 0:
		return files, nil
	case len(folders) == 1:
		return nil, fmt.Errorf("no manifests in folder %s: expected files that end in .yaml, .yml or .json; it has a folder: give %s", path, folders[0])
	case len(folders) > 1:
		return nil, fmt.Errorf("no manifests in folder %s: expected files that end in .yaml, .yml or .json; it has folders: name one of %s",
			path, strings.Join(folders, ", "))
	default:
		return nil, fmt.Errorf("no manifests in folder %s: expected files that end in .yaml, .yml or .json", path)
	}
}

// isManifest tells whether a file in a folder is a manifest, by its name.
func isManifest(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(name))
}
