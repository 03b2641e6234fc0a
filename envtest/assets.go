package envtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"reconform.dev/reconform/envtest/release"
)

// Version is the Kubernetes version of the control plane.
const Version = "v1.36.3"

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
	needed := []string{etcd, apiServer, controllerManager}
	if !o.WithoutPods {
		needed = append(needed, scheduler, kwok)
	}
	if o.AssetsDir != "" {
		if lacks := missing(o.AssetsDir, needed); len(lacks) > 0 {
			return "", fmt.Errorf("%s lacks %s", o.AssetsDir, strings.Join(lacks, ", "))
		}
		return filepath.Abs(o.AssetsDir)
	}

	places := usualPlaces()
	if archive := release.FromEnvironment(o.Progress); archive != nil {
		return unpacked(ctx, archive, places)
	}
	environment := os.Getenv(assetsVariable)
	if environment != "" {
		places = append([]string{environment}, places...)
	}
	var report strings.Builder
	for _, dir := range places {
		lacks := missing(dir, needed)
		if len(lacks) == 0 {
			return filepath.Abs(dir)
		}
		name := dir
		if dir == environment {
			name += " (" + assetsVariable + ")"
			o.Progress(fmt.Sprintf("%s is not used: %s lacks %s", assetsVariable, dir, strings.Join(lacks, ", ")))
		}
		fmt.Fprintf(&report, "\n  %s lacks %s", name, strings.Join(lacks, ", "))
	}
	return "", fmt.Errorf("the control plane's binaries are missing; `make assets` in Reconform's repository builds them into bin/k8s/%s, %s may name the archive of a release that has them, or %s a folder%s",
		Version, release.LocationVariable, assetsVariable, &report)
}

// usualPlaces returns the folders in which the binaries are built, or come with this
// program.
func usualPlaces() []string {
	var places []string
	if root, err := moduleRoot(); err == nil {
		places = append(places, filepath.Join(root, "bin", "k8s", Version))
	}
	if self, err := os.Executable(); err == nil {
		places = append(places, filepath.Join(filepath.Dir(self), "k8s", Version))
	}
	return places
}

// unpacked returns a folder with the binaries of an archive. That is one of the usual
// places, if `make assets` has unpacked the archive there. Otherwise it is a folder among
// the user's caches, into which the archive is unpacked if that was not done yet.
func unpacked(ctx context.Context, archive *release.Archive, places []string) (string, error) {
	for _, dir := range places {
		there, err := archive.InstalledIn(ctx, dir)
		if err != nil {
			return "", err
		}
		if there {
			return filepath.Abs(dir)
		}
	}
	caches, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding a folder to unpack %s into: %w", release.LocationVariable, err)
	}
	if err := archive.Pin(ctx); err != nil {
		return "", err
	}
	dir := filepath.Join(caches, "reconform", "k8s-"+Version+"-"+archive.SHA256[:16])
	return dir, archive.Install(ctx, Version, dir)
}

// missing returns those names that are not executable files in dir.
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
