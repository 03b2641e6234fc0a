package visit

import (
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/internal/profile/manifest"
)

// readCRDs reads the CRDs in files, which may be bundles with other objects.
func readCRDs(files, values []string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	var crds []*apiextensionsv1.CustomResourceDefinition
	from := map[string]string{} // the file of each, by its name
	for _, file := range files {
		objects, err := manifest.Read(file, values)
		if err != nil {
			return nil, inFlag("--crd", file, err)
		}
		before := len(crds)
		var kinds []string
		for _, object := range objects {
			kinds = append(kinds, object.GetAPIVersion()+" "+object.GetKind())
			if object.GetAPIVersion() != apiextensionsv1.SchemeGroupVersion.String() || object.GetKind() != "CustomResourceDefinition" {
				continue
			}
			crd := &apiextensionsv1.CustomResourceDefinition{}
			if err := object.Into(crd); err != nil {
				return nil, inFlag("--crd", file, err)
			}
			same := func(other *apiextensionsv1.CustomResourceDefinition) bool { return other.Name == crd.Name }
			if n := slices.IndexFunc(crds, same); n >= 0 && !equality.Semantic.DeepEqual(crds[n].Spec, crd.Spec) {
				return nil, inFlag("--crd", file, fmt.Errorf("CustomResourceDefinition %s is not the same here and in %s: give the one that the controller is built for", crd.Name, from[crd.Name]))
			}
			from[crd.Name] = file
			crds = append(crds, crd)
		}
		if len(crds) == before {
			slices.Sort(kinds)
			return nil, inFlag("--crd", file, fmt.Errorf("no %s CustomResourceDefinition in it; it has: %s",
				apiextensionsv1.SchemeGroupVersion, orNothing(slices.Compact(kinds))))
		}
	}
	return crds, nil
}

// readSamples reads the objects of a file.
func readSamples(file string, values []string) (samples []*unstructured.Unstructured, notes []string, err error) {
	objects, notes, err := manifest.ReadNoted(file, values)
	if err != nil {
		return nil, nil, inFlag("--sample", file, err)
	}
	for _, object := range objects {
		if err := object.Check(); err != nil {
			return nil, nil, inFlag("--sample", file, err)
		}
		samples = append(samples, object.Unstructured)
	}
	return samples, notes, nil
}
