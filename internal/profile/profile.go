package profile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// Profile is a valid profile with its defaults filled in, and the place of its file.
type Profile struct {
	v1alpha1.Profile

	// File is the profile's own file, absolute.
	File string
	// Dir is the folder that the paths in the profile are relative to, absolute.
	Dir string

	document *document
}

// Load reads a profile and reports everything that is wrong with it as
// Problems. It looks at no other file: see CheckFiles.
func Load(path string) (*Profile, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("finding profile %s: %w", path, err)
	}
	data, err := readRegular(absolute, maxProfile)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("profile %s: no such file", path)
	case err != nil:
		return nil, fmt.Errorf("reading profile %s: %w", path, err)
	}
	return Parse(path, data)
}

// Parse is Load for a file that has been read already. The path is where the
// profile's own paths start from, and what problems are reported under.
func Parse(path string, data []byte) (*Profile, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("finding profile %s: %w", path, err)
	}
	schema, err := profileSchema()
	if err != nil {
		return nil, err
	}
	document, problems := parseDocument(path, data)
	if len(problems) > 0 {
		return nil, problems.err()
	}
	if problem, ok := checkKind(document); !ok {
		return nil, Problems{problem}
	}
	if problems := schema.apply(document); len(problems) > 0 {
		return nil, problems.err()
	}
	if problems := checkDurations(document); len(problems) > 0 {
		return nil, problems.err()
	}
	p := &Profile{File: absolute, Dir: filepath.Dir(absolute), document: document}
	if err := document.decode(&p.Profile); err != nil {
		return nil, Problems{{File: path, Message: err.Error()}}
	}
	if err := p.checkMeaning().err(); err != nil {
		return nil, err
	}
	return p, nil
}

// checkKind says whether the document is a Profile at all. Any other document would
// break every rule of the schema.
func checkKind(d *document) (Problem, bool) {
	for field, want := range map[string]string{"apiVersion": v1alpha1.GroupVersion.String(), "kind": "Profile"} {
		switch got, given := d.object[field]; {
		case !given:
			return d.problem(field, "is required: it must be %s", want), false
		case got != want:
			return d.problem(field, "is %v; it must be %s", got, want), false
		}
	}
	return Problem{}, true
}

// Has says whether the profile claims a feature.
func (p *Profile) Has(feature v1alpha1.Feature) bool {
	return slices.Contains(p.Spec.Claims.Features, feature)
}
