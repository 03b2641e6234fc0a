package submission

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/profile"
)

// ProfileFile is the name of the profile in a submission.
const ProfileFile = "profile.yaml"

// mostYAML is the largest size of a profile or a manifest.
const mostYAML = 1 << 20

// Profile reads the profile of a submission that was copied into a folder. The error is a
// *Refused if there is none that can be used. The profile may name nothing outside the
// folder except a program on the PATH, and must not ask for anything that is shared with
// others.
func Profile(dir string) (*profile.Profile, error) {
	file := filepath.Join(dir, ProfileFile)
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, refused("it has no %s", ProfileFile)
	}
	if err != nil || info.Size() > mostYAML {
		return nil, refused("its %s cannot be read", ProfileFile)
	}
	p, err := profile.Load(file)
	if err != nil {
		return nil, refused("its profile: %v", inside(err, dir))
	}
	launch, install := p.Spec.Launch, p.Spec.Install
	switch {
	case len(launch.Network) > 0:
		return nil, refused("its profile asks for a network (launch.network: %s)", strings.Join(launch.Network, ", "))
	case len(install.Setup)+len(install.ClusterWrites)+len(install.Values) > 0:
		return nil, refused("its profile asks for install.setup, install.clusterWrites or install.values, which no lab needs")
	}
	paths := append([]string{launch.Directory}, launch.Readable...)
	if len(launch.Command) > 0 && strings.ContainsRune(launch.Command[0], '/') {
		paths = append(paths, launch.Command[0])
	}
	manifests := slices.Concat(install.CRDs, install.RBAC, install.Webhooks)
	for _, path := range append(paths, manifests...) {
		if path != "" && !filepath.IsLocal(path) {
			return nil, refused("its profile names %s, which is outside of the submission", path)
		}
	}
	// A folder may have a kustomization, which may name files anywhere.
	for _, path := range manifests {
		info, err := os.Stat(filepath.Join(dir, path))
		plain := slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) && !strings.HasPrefix(filepath.Base(path), "kustomization.")
		if err != nil || !plain || !info.Mode().IsRegular() || info.Size() > mostYAML {
			return nil, refused("its profile names %s, which is not a file of manifests (.yaml) of at most %d MiB", path, mostYAML>>20)
		}
	}
	if err := p.CheckFiles(); err != nil {
		return nil, refused("its profile: %v", inside(err, dir))
	}
	return p, nil
}

// inside makes an error name the student's files as the student does.
func inside(err error, dir string) string {
	return strings.NewReplacer(dir+"/", "", dir, "the submission").Replace(err.Error())
}

// Promises tells whether two profiles promise the same. That matters because the suite
// decides by the claims what it asks for.
func Promises(p, q *profile.Profile) bool {
	return cmp.Equal(p.Spec.Contract, q.Spec.Contract) && cmp.Equal(p.Spec.Claims, q.Spec.Claims)
}
