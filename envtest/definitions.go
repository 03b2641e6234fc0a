package envtest

import (
	"cmp"
	"fmt"
	"os"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// definitions returns the CRDs of CRDs and CRDPaths, those of CRDs first. They are copies
// without what another cluster gave to them, so that they can be created here.
func (o *Options) definitions() ([]*apiextensionsv1.CustomResourceDefinition, error) {
	for _, path := range o.CRDPaths { // the library knows only one error
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("reading the definitions: %w", err)
		}
	}
	read := envtest.CRDInstallOptions{Paths: o.CRDPaths}
	if err := envtest.ReadCRDFiles(&read); err != nil {
		return nil, fmt.Errorf("reading the definitions: %w", err)
	}
	slices.SortFunc(read.CRDs, func(a, b *apiextensionsv1.CustomResourceDefinition) int { return cmp.Compare(a.Name, b.Name) })
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, crd := range slices.Concat(o.CRDs, read.CRDs) {
		crd = crd.DeepCopy()
		crd.ResourceVersion, crd.UID = "", ""
		all = append(all, crd)
	}
	return all, nil
}
