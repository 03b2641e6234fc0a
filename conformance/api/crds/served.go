package crds

import (
	"fmt"
	"io/fs"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// Served are the definitions of the kinds that the bench serves: all but the
// Profile, which is a file.
func Served() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	names, err := fs.Glob(FS, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("listing the CRDs: %w", err)
	}
	var served []*apiextensionsv1.CustomResourceDefinition
	for _, name := range names {
		if name == Profiles {
			continue
		}
		data, err := FS.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", name, err)
		}
		definition := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.UnmarshalStrict(data, definition); err != nil {
			return nil, fmt.Errorf("decoding %s: %w", name, err)
		}
		served = append(served, definition)
	}
	return served, nil
}
