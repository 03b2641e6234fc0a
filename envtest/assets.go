package envtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reconform.dev/reconform/envtest/folder"
	"reconform.dev/reconform/envtest/release"
)

// assetsVariable names a folder with binaries, as it does for controller-runtime.
const assetsVariable = "KUBEBUILDER_ASSETS"

// The components, by the names of their binaries.
const (
	etcd              = "etcd"
	apiServer         = "kube-apiserver"
	controllerManager = "kube-controller-manager"
	scheduler         = "kube-scheduler"
	kwok              = "kwok"
)

// assets returns the folder with the components' binaries.
func (o *Options) assets(ctx context.Context) (string, error) {
	version, err := ParseVersion(o.Kubernetes)
	if err != nil {
		return "", err
	}
	needed := []string{etcd, apiServer, controllerManager}
	if !o.WithoutPods {
		needed = append(needed, scheduler, kwok)
	}
	if o.AssetsDir != "" {
		if lacks := missing(o.AssetsDir, needed); len(lacks) > 0 {
			return "", fmt.Errorf("%s lacks %s", o.AssetsDir, strings.Join(lacks, ", "))
		}
		if problem := o.otherVersion(ctx, o.AssetsDir, version); problem != "" {
			return "", fmt.Errorf("%s %s", o.AssetsDir, problem)
		}
		return filepath.Abs(o.AssetsDir)
	}
	archive := release.FromEnvironment(o.Progress)
	if archive != nil && version == Version {
		return unpacked(ctx, archive, version)
	}
	dir, report := o.find(ctx, version, needed)
	switch {
	case dir != "":
		return filepath.Abs(dir)
	case archive != nil:
		return unpacked(ctx, archive, version)
	}
	return "", fmt.Errorf("the control plane's binaries of Kubernetes %[1]s are missing: `reconform assets get %[1]s --from ARCHIVE` unpacks them from a release, or %[2]s names that archive; `%[3]s` in Reconform's repository builds them into bin/k8s/%[1]s, and %[4]s may name that folder%[5]s",
		version, release.LocationVariable, BuildCommand(version), assetsVariable, report)
}

// find returns the first folder that has the binaries of a version, or what each folder
// lacks.
func (o *Options) find(ctx context.Context, version string, needed []string) (dir, report string) {
	places := usualPlaces(version)
	environment := os.Getenv(assetsVariable)
	if environment != "" {
		places = append([]string{environment}, places...)
	}
	for _, dir := range places {
		problem := ""
		if lacks := missing(dir, needed); len(lacks) > 0 {
			problem = "lacks " + strings.Join(lacks, ", ")
		} else if dir == environment {
			problem = o.otherVersion(ctx, dir, version)
		}
		if problem == "" {
			return dir, ""
		}
		name := dir
		if dir == environment {
			name += " (" + assetsVariable + ")"
			o.Progress(fmt.Sprintf("%s is not used: %s %s", assetsVariable, dir, problem))
		}
		report += "\n  " + name + " " + problem
	}
	if caches, err := cacheDir(); err == nil && len(unpackedBefore(version)) == 0 {
		report += "\n  " + caches + " has no archive of this version, unpacked"
	}
	return "", report
}

// otherVersion says that the binaries in a folder do not have the version that the options
// ask for. It returns "" if they have it, or if the options ask for no version.
func (o *Options) otherVersion(ctx context.Context, dir, version string) string {
	if o.Kubernetes == "" {
		return ""
	}
	switch found, err := VersionIn(ctx, dir); {
	case err != nil:
		return "has an unknown version: " + err.Error()
	case found != version:
		return fmt.Sprintf("has Kubernetes %s, not %s", found, version)
	}
	return ""
}

// usualPlaces returns the folders that may have the binaries of a version: the one in which
// they are built, the one beside this program, and those that they were unpacked into.
func usualPlaces(version string) []string {
	var places []string
	if root, err := moduleRoot(); err == nil {
		places = append(places, filepath.Join(root, "bin", "k8s", version))
	}
	if self, err := os.Executable(); err == nil {
		if beside := filepath.Join(filepath.Dir(self), "k8s", version); !slices.Contains(places, beside) {
			places = append(places, beside)
		}
	}
	return append(places, unpackedBefore(version)...)
}

// unpackedBefore returns the folders among the user's caches that archives with a version
// were unpacked into.
func unpackedBefore(version string) []string {
	caches, err := cacheDir()
	if err != nil {
		return nil
	}
	dirs, _ := folder.Glob(caches, "k8s-"+version+"-*") // the pattern is valid
	return dirs
}

// cacheDir returns the folder among the user's caches that archives are unpacked into.
func cacheDir() (string, error) {
	caches, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the folder of the user's caches: %w", err)
	}
	return filepath.Join(caches, "reconform"), nil
}

// unpacked returns a folder with the binaries of an archive. That is one of the usual
// places, if the archive was unpacked there. Otherwise it is a folder among the user's
// caches, into which the archive is unpacked now.
func unpacked(ctx context.Context, archive *release.Archive, version string) (string, error) {
	for _, dir := range usualPlaces(version) {
		there, err := archive.InstalledIn(ctx, dir)
		if err != nil {
			return "", err
		}
		if there {
			return filepath.Abs(dir)
		}
	}
	caches, err := cacheDir()
	if err != nil {
		return "", err
	}
	if err := archive.Pin(ctx); err != nil {
		return "", err
	}
	dir := filepath.Join(caches, "k8s-"+version+"-"+archive.SHA256[:16])
	return dir, archive.Install(ctx, version, dir)
}

// missing returns the names for which dir has no executable file.
func missing(dir string, names []string) []string {
	var lacks []string
	for _, name := range names {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.IsDir() || info.Mode()&0o111 == 0 {
			lacks = append(lacks, name)
		}
	}
	return lacks
}

// moduleRoot returns the closest folder with a go.mod, from the working directory upwards.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("not in a Go module")
		}
		dir = parent
	}
}
