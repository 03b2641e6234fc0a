package catalogue

import (
	"encoding/json"
	"errors"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/crds"
)

// features returns the features that a profile can claim. They come from the profile's
// schema, which is made from the type v1alpha1.Feature, so there is no second list.
func features() ([]string, error) {
	data, err := crds.FS.ReadFile(crds.Profiles)
	if err != nil {
		return nil, fmt.Errorf("reading the schema of profiles: %w", err)
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(data, &definition); err != nil {
		return nil, fmt.Errorf("decoding the schema of profiles: %w", err)
	}
	spec := definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	list := spec.Properties["claims"].Properties["features"].Items
	if list == nil || list.Schema == nil || len(list.Schema.Enum) == 0 {
		return nil, errors.New("the schema of profiles has no list of features")
	}
	var names []string
	for _, item := range list.Schema.Enum {
		var name string
		if err := json.Unmarshal(item.Raw, &name); err != nil {
			return nil, fmt.Errorf("decoding the schema of profiles: %w", err)
		}
		names = append(names, name)
	}
	return names, nil
}
