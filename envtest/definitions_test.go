package envtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func definition(plural string) string {
	return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ` + plural + `.test.reconform.dev, resourceVersion: "7"}
spec:
  group: test.reconform.dev
  scope: Namespaced
  names: {kind: Gadget, plural: ` + plural + `}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`
}

// TestDefinitions: of a folder, the files in it are read, through links, too. What is below it is
// not. Those of another cluster can be created.
func TestDefinitions(t *testing.T) {
	dir := t.TempDir()
	crds, target := filepath.Join(dir, "crds"), filepath.Join(dir, "target.yaml")
	if err := os.MkdirAll(filepath.Join(crds, "below"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		filepath.Join(crds, "b.yaml"): definition("b"), filepath.Join(crds, "below", "c.yaml"): definition("c"),
		filepath.Join(crds, "README.md"): "no definition", target: definition("a"),
	} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"z.yaml": target, "linked": filepath.Join(crds, "below"), filepath.Join("..", "link"): crds} {
		if err := os.Symlink(to, filepath.Join(crds, link)); err != nil {
			t.Fatal(err)
		}
	}
	first := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "first", ResourceVersion: "1", UID: "u"}}
	for _, path := range []string{crds, filepath.Join(dir, "link")} {
		opts := Options{CRDPaths: []string{path}, CRDs: []*apiextensionsv1.CustomResourceDefinition{first}}
		found, err := opts.definitions()
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		var names []string
		for _, crd := range found {
			names = append(names, crd.Name+crd.ResourceVersion+string(crd.UID))
		}
		if diff := cmp.Diff([]string{"first", "a.test.reconform.dev", "b.test.reconform.dev"}, names); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
	if first.ResourceVersion != "1" {
		t.Error("the caller's definition was changed")
	}
	for _, path := range []string{filepath.Join(dir, "absent"), filepath.Join(target, "x")} {
		opts := Options{CRDPaths: []string{path}}
		if _, err := opts.definitions(); err == nil || !strings.Contains(err.Error(), "reading the definitions: stat "+path) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
