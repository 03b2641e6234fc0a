package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"reconform.dev/reconform/internal/mutant"
	"reconform.dev/reconform/internal/profile"
)

// base is a sound controller that mutants are made from.
type base struct {
	main    string            // the folder of its main package
	folders []string          // those of all its packages, the main one included
	profile string            // the file of its profile
	files   map[string][]byte // the content of its sources, its profile and its manifests, by path in the repository
}

// mainFolder returns the folder of the main package of a profile's controller.
func mainFolder(root, name string) (string, error) {
	for _, dir := range []string{"fixtures/variants/" + name, "fixtures/controllers/" + name + "/cmd/" + name, "fixtures/controllers/" + name} {
		if matches, err := filepath.Glob(filepath.Join(root, dir, "main.go")); err == nil && len(matches) > 0 {
			return dir, nil
		}
	}
	if name == profile.Default {
		return "controller/cmd/manager", nil
	}
	return "", fmt.Errorf("there is no controller for the mutants in %s/%s", mutant.Dir, name)
}

// readBases reads the controllers that mutants are made from, by name.
func readBases(root string, mutants []mutant.Mutant) (map[string]*base, error) {
	bases := map[string]*base{}
	for _, m := range mutants {
		if bases[m.Base] != nil {
			continue
		}
		b, err := readBase(root, m.Base)
		if err != nil {
			return nil, err
		}
		bases[m.Base] = b
	}
	return bases, nil
}

// readBase reads the controller of a profile: the sources of its main package and of those
// packages of ours that it imports, its profile and its manifests. The API types stay
// shared, because they are the contract and not the controller.
func readBase(root, name string) (_ *base, err error) {
	b := &base{profile: "fixtures/profiles/" + name + ".yaml", files: map[string][]byte{}}
	if b.main, err = mainFolder(root, name); err != nil {
		return nil, err
	}
	if err := b.readSources(root); err != nil {
		return nil, err
	}
	p, err := profile.Load(filepath.Join(root, b.profile))
	if err != nil {
		return nil, err
	}
	paths := []string{p.File}
	for _, list := range []func() ([]string, error){p.CRDFiles, p.RBACFiles, p.WebhookFiles, p.SetupFiles, p.InClusterFiles} {
		more, err := list()
		if err != nil {
			return nil, err
		}
		paths = append(paths, more...)
	}
	return b, b.read(root, paths)
}

func (b *base) readSources(root string) error {
	cmd := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}{{range .GoFiles}}\t{{$.Dir}}/{{.}}{{end}}", "./"+b.main)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("listing the packages of %s: %w", b.main, err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		folder, ours := strings.CutPrefix(words[0], module+"/")
		if !ours || slices.Contains(strings.Split(folder, "/"), "api") {
			continue
		}
		b.folders = append(b.folders, folder)
		if err := b.read(root, words[1:]); err != nil {
			return err
		}
	}
	return nil
}

func (b *base) read(root string, paths []string) error {
	absolute, err := filepath.Abs(root)
	if err != nil {
		return fmt.Errorf("finding the repository: %w", err)
	}
	for _, path := range paths {
		name, err := filepath.Rel(absolute, path)
		if err != nil || !fs.ValidPath(filepath.ToSlash(name)) {
			return fmt.Errorf("%s is not in the repository", path)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("reading the files of %s: %w", b.main, err)
		}
		b.files[filepath.ToSlash(name)] = data
	}
	return nil
}

// adapt changes a file so that it fits its place in the mutant's folder.
func (b *base) adapt(m mutant.Mutant, name string, content []byte) ([]byte, error) {
	switch {
	case strings.HasSuffix(name, ".go"):
		return b.adaptSource(m, name, content)
	case name == b.profile:
		return adaptProfile(m, content)
	default:
		return content, nil
	}
}
