package profile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile/manifest"
	"reconform.dev/reconform/internal/profile/strictyaml"
)

const (
	kind = "Profile"
	// maxProfile limits the size of a profile. People write much smaller ones.
	maxProfile = 1 << 20
)

// Profile is a valid profile with its defaults filled in, and the path of its file.
type Profile struct {
	v1alpha1.Profile

	// File is the absolute path of the profile.
	File string
	// Dir is the absolute path of the folder that the paths in the profile are relative to.
	Dir string
	// Digest of the file, in the form sha256:….
	Digest string

	document *strictyaml.Document
	readings *readings
	served   []Served // of a profile without a contract
}

// Load reads a profile and reports everything that is wrong with it as [strictyaml.Problems].
// Of the files that the profile names it reads only samples, because scenarios are rendered
// with them: see CheckFiles.
func Load(path string) (*Profile, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("finding profile %s: %w", path, err)
	}
	data, err := strictyaml.ReadRegular(absolute, maxProfile)
	switch {
	case errors.Is(err, os.ErrNotExist) && manifest.CheckLocal(path) != nil:
		return nil, fmt.Errorf("profile %w; the files that it names are needed, too", manifest.CheckLocal(path))
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("profile %s: no such file (reconform init writes one)", path)
	case err != nil:
		return nil, fmt.Errorf("reading profile %s: %w", path, err)
	}
	return Parse(path, data)
}

// Parse is like Load, for a file that has been read already. The profile's own paths are
// relative to the folder of path, and problems are reported under it.
func Parse(path string, data []byte) (*Profile, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("finding profile %s: %w", path, err)
	}
	schema, err := profileSchema()
	if err != nil {
		return nil, err
	}
	d, problems := strictyaml.Parse(path, kind, data)
	if len(problems) > 0 {
		return nil, problems.Err()
	}
	if problems := d.CheckKind(v1alpha1.GroupVersion.String(), kind); len(problems) > 0 {
		return nil, problems
	}
	problems = schema.unknownFields(d)
	schema.fillIn(d)
	types := schema.wrongTypes(d)
	broken := schema.brokenFields(d)
	if len(types) == 0 && len(broken) == 0 {
		broken = schema.brokenRules(d)
	}
	problems = append(problems, broken...)
	problems = append(problems, slices.Concat(checkPauseGiven(d), checkContractClaims(d), checkDurations(d))...)
	if problems = append(types, elsewhere(problems, types)...); len(problems) > 0 {
		return nil, problems.Err()
	}
	p := &Profile{File: absolute, Dir: filepath.Dir(absolute), Digest: fmt.Sprintf("sha256:%x", sha256.Sum256(data)), document: d, readings: &readings{}}
	if err := decode(d, &p.Profile); err != nil {
		return nil, strictyaml.Problems{{File: path, Message: err.Error()}}
	}
	if err := p.checkMeaning().Err(); err != nil {
		return nil, err
	}
	return p, nil
}

// Has tells whether the profile claims a feature.
func (p *Profile) Has(feature v1alpha1.Feature) bool {
	return slices.Contains(p.Spec.Claims.Features, feature)
}
