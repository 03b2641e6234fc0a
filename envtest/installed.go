package envtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/envtest/release"
)

// Source says how binaries came into a folder.
type Source string

// The sources.
const (
	FromBuild       Source = "built"              // by make assets
	FromRelease     Source = "unpacked"           // from the archive of a release
	FromEnvironment Source = "KUBEBUILDER_ASSETS" // the user's folder, for one version
)

// Installed is a folder that has all binaries of a version.
type Installed struct {
	Version string
	Dir     string
	Source  Source
	// Bytes that the files take.
	Bytes int64
}

// Removable tells whether the folder is ours to remove.
func (i *Installed) Removable() bool { return i.Source != FromEnvironment }

// Find returns the folders that have the binaries of a version, in the order in which
// [Start] looks at them. A folder that has several names comes once.
func Find(ctx context.Context, version string) ([]Installed, error) {
	all := []string{etcd, apiServer, controllerManager, scheduler, kwok}
	var found []Installed
	var known []fs.FileInfo
	add := func(dir string, source Source) error {
		info, err := os.Stat(dir)
		if err != nil {
			return fmt.Errorf("looking at %s: %w", dir, err)
		}
		if slices.ContainsFunc(known, func(other fs.FileInfo) bool { return os.SameFile(info, other) }) {
			return nil
		}
		known = append(known, info)
		size, err := sizeOf(dir)
		found = append(found, Installed{Version: version, Dir: dir, Source: source, Bytes: size})
		return err
	}
	if dir := os.Getenv(assetsVariable); dir != "" && len(missing(dir, all)) == 0 {
		dir, err := filepath.Abs(dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", assetsVariable, err)
		}
		there, err := VersionIn(ctx, dir)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", assetsVariable, err)
		}
		if there == version {
			if err := add(dir, FromEnvironment); err != nil {
				return nil, err
			}
		}
	}
	for _, dir := range usualPlaces(version) {
		if len(missing(dir, all)) > 0 {
			continue
		}
		source := FromBuild
		if release.Unpacked(dir) {
			source = FromRelease
		}
		if err := add(dir, source); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// Install unpacks the binaries of a version from the archive of a release into the user's
// caches, and returns the folder. If they are there already, it does nothing.
func Install(ctx context.Context, version string, archive *release.Archive) (dir string, err error) {
	return unpacked(ctx, archive, version)
}

// Remove removes the folder, unless a control plane runs whose programs are there. It would go
// on, but those who use it would not find kubectl any more.
func (i *Installed) Remove() error {
	if !i.Removable() {
		return fmt.Errorf("%s is named by %s: it is not Reconform's to remove", i.Dir, i.Source)
	}
	err := folder.RemoveUnused(i.Dir)
	if errors.Is(err, folder.ErrHeld) {
		err = fmt.Errorf("%w: a control plane runs from it; stop that first", err)
	}
	if err != nil {
		return fmt.Errorf("removing Kubernetes %s: %w", i.Version, err)
	}
	return nil
}

// sizeOf returns what the files in a folder take, in bytes. Links count nothing.
func sizeOf(dir string) (int64, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, fmt.Errorf("looking at %s: %w", dir, err)
	}
	var size int64
	for _, entry := range entries {
		info, err := entry.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return 0, fmt.Errorf("looking at %s: %w", filepath.Join(dir, entry.Name()), err)
		case info.Mode().IsRegular():
			size += info.Size()
		}
	}
	return size, nil
}
