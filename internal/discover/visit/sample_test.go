package visit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// crd of a kind, as YAML.
func crd(kind, scope string) string {
	plural := strings.ToLower(kind) + "s"
	return fmt.Sprintf(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %s.example.com}
spec:
  group: example.com
  names: {kind: %s, plural: %s}
  scope: %s
  versions: [{name: v1, served: true, storage: true}]
`, plural, kind, plural, scope)
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	graphs, shops := file("graphs.yaml", crd("Graph", "Cluster")), file("shops.yaml", crd("Shop", "Namespaced"))
	graph, shop := "apiVersion: example.com/v1\nkind: Graph\nmetadata: {name: all}\n", "apiVersion: example.com/v1\nkind: Shop\nmetadata: {name: mine}\n"
	for name, tc := range map[string]struct {
		crds   []string
		sample string
		want   string // kind of the sample, and those beside it
		err    string
	}{
		"one of each":                      {[]string{shops}, shop, "Shop []", ""},
		"what it needs comes first":        {[]string{graphs, shops}, graph + "---\n" + shop, "Shop [Graph]", ""},
		"in the other order":               {[]string{shops, graphs}, shop + "---\n" + graph, "Shop [Graph]", ""},
		"of a CRD that is not given":       {[]string{graphs}, shop, "", "graphs.yaml defines example.com Graph"},
		"cluster-scoped, and nothing else": {[]string{graphs, shops}, graph, "", "Graph is cluster-scoped"},
		"a version that is not served":     {[]string{shops}, strings.Replace(shop, "/v1", "/v2", 1), "", "which the CRD shops.example.com does not serve"},
		"a file that is missing":           {[]string{shops, filepath.Join(dir, "none.yaml")}, shop, "", "none.yaml"},
		"no CRD":                           {[]string{file("other.yaml", graph)}, shop, "", "other.yaml: no apiextensions.k8s.io/v1 CustomResourceDefinition in it; it has: example.com/v1 Graph"},
		"a bundle":                         {[]string{file("bundle.yaml", graph+"---\n"+crd("Shop", "Namespaced"))}, shop, "Shop []", ""},
		"a label that is no text": {
			[]string{shops},
			strings.Replace(shop, "mine", "mine, labels: {managed: true}", 1), "",
			`sample.yaml:3: Shop mine: metadata.labels.managed: is true, a boolean; due is a string: write "true", with quotes`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			given, err := Read(tc.crds, file("sample.yaml", tc.sample), nil, []string{"manager"})
			if err != nil || tc.err != "" {
				if tc.err == "" || err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Fatalf("got error %v, want %q", err, tc.err)
				}
				return
			}
			var beside []string
			for _, object := range given.Beside {
				beside = append(beside, object.GetKind())
			}
			if got := fmt.Sprint(given.Sample.GetKind(), " ", beside); got != tc.want || given.CRD.Spec.Names.Kind != given.Sample.GetKind() {
				t.Errorf("got %s of CRD %s, want %s", got, given.CRD.Name, tc.want)
			}
		})
	}
}
