package visit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
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

// write writes a file into a folder, and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string { return write(t, dir, name, text) }
	graphs, shops := file("graphs.yaml", crd("Graph", "Cluster")), file("shops.yaml", crd("Shop", "Namespaced"))
	strict := file("strict.yaml", strings.Replace(crd("Shop", "Namespaced"), "storage: true", `storage: true, schema: {openAPIV3Schema: {type: object, properties: {
  spec: {type: object, properties: {size: {type: integer}, free: {type: object, x-kubernetes-preserve-unknown-fields: true}, volumes: {type: array, items: {type: object, properties: {claim: {type: string}}}}}}}}}`, 1))
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
		"cluster-scoped, and nothing else": {[]string{graphs, shops}, graph, "Graph []", ""},
		"a version that is not served":     {[]string{shops}, strings.Replace(shop, "/v1", "/v2", 1), "", "which the CRD shops.example.com does not serve; it serves: v1"},
		"a spec that is a list":            {[]string{shops}, shop + "spec: [a]\n", "", "sample.yaml: Shop mine: spec: is a list; it must be a mapping"},
		"fields that the CRD has":          {[]string{strict}, shop + "spec: {size: 1, free: {any: 1}, volumes: [{claim: a}]}\n", "Shop []", ""},
		"a field that the CRD does not have": {
			[]string{strict},
			shop + "spec: {size: 1, volumes: [{claim: a}, {claims: b}], fsGroup: 1000}\n", "",
			`sample.yaml: Shop mine: spec.fsGroup: the CRD has no such field; spec.volumes[1].claims: the CRD has no such field (did you mean "claim"?); kubectl refuses that, too: correct the sample, or take the field out`,
		},
		"one object twice": {
			[]string{shops, graphs},
			shop + "---\n" + graph + "---\n" + strings.Replace(graph, "/v1", "/v2", 1) + "---\n" + strings.Replace(graph, "all", "more", 1),
			"Shop [Graph Graph]", "",
		},
		"an older version before the served one": {[]string{shops}, strings.Replace(shop, "/v1", "/v2", 1) + "---\n" + shop, "Shop []", ""},
		"a Namespace of somebody": {
			[]string{shops}, shop + "---\napiVersion: bus.example.com/v1\nkind: Namespace\nmetadata: {name: orders}\n", "Shop [Namespace]", "",
		},
		"a secret without a name": {
			[]string{shops},
			shop + "---\napiVersion: v1\nkind: Secret\nmetadata: {generateName: key-}\n", "",
			"sample.yaml: Secret: metadata.name is required: what the sample needs beside it is created under its name",
		},
		"what installs the controller, too": {
			[]string{shops, graphs}, "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: manager}\n---" + crd("Shop", "Namespaced") + "---\n" + graph + "---\n" + shop, "Shop [Graph]", "",
		},
		"a file that is missing": {[]string{shops, filepath.Join(dir, "none.yaml")}, shop, "", "none.yaml"},
		"no CRD":                 {[]string{file("other.yaml", graph)}, shop, "", "other.yaml: no apiextensions.k8s.io/v1 CustomResourceDefinition in it; it has: example.com/v1 Graph"},
		"a bundle":               {[]string{file("bundle.yaml", graph+"---\n"+crd("Shop", "Namespaced"))}, shop, "Shop []", ""},
		"a label that is not a text": {
			[]string{shops},
			strings.Replace(shop, "mine", "mine, labels: {managed: true}", 1), "",
			`sample.yaml:3: Shop mine: metadata.labels.managed: is true, a boolean; it must be a string: write "true", with quotes`,
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

// TestLeftOut: objects beside the sample that are not used are reported.
func TestLeftOut(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string { return write(t, dir, name, text) }
	shop := func(metadata string) string {
		return "---\napiVersion: example.com/v1\nkind: Shop\nmetadata: {" + metadata + "}\n"
	}
	space := func(metadata string) string {
		return "---\napiVersion: v1\nkind: Namespace\nmetadata: {" + metadata + "}\n"
	}
	secret := func(metadata string) string {
		return "---\napiVersion: v1\nkind: Secret\nmetadata: {" + metadata + "}\n"
	}
	for name, tc := range map[string]struct {
		sample string
		want   []string
	}{
		"nothing":     {shop("name: a, namespace: b, labels: {c: d}") + space("name: b, labels: {team: web}"), nil},
		"another one": {shop("name: a") + shop("name: b"), []string{"Shop b: all objects are like one sample, and that is a"}},
		"one version of two": {
			shop("name: a") + strings.Replace(shop("name: a"), "/v1", "/v2", 1),
			[]string{"example.com/v2 Shop a: all objects are like one sample, and that is example.com/v1 Shop a"},
		},
		"one name in two namespaces": {
			shop("name: a, namespace: b") + secret("name: s, namespace: c") + secret("name: s, namespace: b") + secret("name: s, namespace: d"),
			[]string{
				"v1 Secret c/s: there is another Secret of that name, and all of them are in one namespace",
				"v1 Secret d/s: there is another Secret of that name, and all of them are in one namespace",
			},
		},
		"what the API server wrote": {
			shop("name: a, uid: u, resourceVersion: '7'") + secret("name: s, uid: v, resourceVersion: '8', generation: 1, creationTimestamp: '2026-01-01T00:00:00Z', managedFields: [], ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: w}]"),
			[]string{"metadata.ownerReferences of Secret s: its owner is not there, and the garbage collector would delete it"},
		},
		"objects of other namespaces": {
			shop("name: a, namespace: b") + secret("name: s, namespace: c") + secret("name: t, namespace: b") + secret("name: u"),
			[]string{"the namespace c of Secret s: it will be in the namespace of the sample"},
		},
		"its status":   {shop("name: a") + "status: {a: b}\n", []string{"the status of Shop a: the controller writes it"}},
		"its metadata": {shop("generateName: a-, finalizers: [x.y/z], ownerReferences: []"), []string{"metadata.finalizers of Shop: an object of a scenario has none", "metadata.generateName of Shop: an object of a scenario has none", "metadata.ownerReferences of Shop: an object of a scenario has none"}},
		"what installs the controller": {
			shop("name: a, namespace: b") + "---" + crd("Shop", "Namespaced") + space("name: b, labels: {team: web}") + space("name: system, labels: {team: none}") + secret("name: s"),
			[]string{
				"CustomResourceDefinition shops.example.com, Namespace system, Secret s: the file has definitions of resources, so these install the controller. " +
					"What the sample needs beside it stands in a file without definitions",
			},
		},
		"a webhook": {
			shop("name: a") + "---\napiVersion: admissionregistration.k8s.io/v1\nkind: MutatingWebhookConfiguration\nmetadata: {name: w}\n",
			[]string{"MutatingWebhookConfiguration w: it is no part of a sample: if the controller serves it, give it by --webhooks"},
		},
		"finalizers beside it": {
			shop("name: a") + secret("name: s, finalizers: [example.com/keep]"),
			[]string{"metadata.finalizers of Secret s: nobody here would take them off"},
		},
		"its namespace": {shop("name: a, namespace: b") + space("name: c") + space("name: b, labels: {pod-security.kubernetes.io/enforce: baseline}, annotations: {x: z}"), []string{"Namespace c: the sample is in b", "label pod-security.kubernetes.io/enforce of Namespace b: it is for the cluster, not for the controller", "the annotations of Namespace b: a profile has none for a namespace"}},
	} {
		t.Run(name, func(t *testing.T) {
			given, err := Read([]string{file("crd.yaml", crd("Shop", "Namespaced"))}, file("sample.yaml", tc.sample), nil, []string{"manager"})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, given.LeftOut); diff != "" {
				t.Errorf("left out (-want +got):\n%s", diff)
			}
			for _, object := range given.Beside { // which are created as they are
				if object.GetResourceVersion() != "" || object.GetUID() != "" || object.GetManagedFields() != nil || object.GetOwnerReferences() != nil {
					t.Errorf("%s cannot be created: %v", object.GetName(), object.Object["metadata"])
				}
			}
		})
	}
}

// TestNamesNamespace: a field of the sample that names a namespace is told, as scenarios create
// their objects in namespaces of their own.
func TestNamesNamespace(t *testing.T) {
	dir := t.TempDir()
	sample := "apiVersion: example.com/v1\nkind: Shop\nmetadata: {name: a, namespace: b}\n" +
		"spec: {namespace: '', secret: {name: s, namespace: b}, watch: {targetNamespaces: [c, d]}, createNamespace: true}\n"
	open := strings.Replace(crd("Shop", "Namespaced"), "storage: true", "storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, x-kubernetes-preserve-unknown-fields: true}}}}", 1)
	for scope, want := range map[string][]string{
		"Namespaced": {"the sample names a namespace in spec.secret.namespace (b), spec.watch.targetNamespaces[0] (c), spec.watch.targetNamespaces[1] (d): scenarios create their objects in " +
			"namespaces of their own, and the controller sees no other. Leave out what is not needed"},
		"Cluster": nil,
	} {
		definition := write(t, dir, scope+".yaml", strings.Replace(open, "scope: Namespaced", "scope: "+scope, 1))
		given, err := Read([]string{definition}, write(t, dir, "sample.yaml", sample), nil, []string{"manager"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, given.Notes); diff != "" {
			t.Errorf("%s: notes (-want +got):\n%s", scope, diff)
		}
	}
}

// TestConfigMapsOfTheSample: only a ConfigMap that a field of the sample names is left
// for the scenarios.
func TestConfigMapsOfTheSample(t *testing.T) {
	object := func(kind, name string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"kind": kind, "metadata": map[string]any{"name": name}}}
	}
	sample := object("Shop", "mine")
	sample.Object["spec"] = map[string]any{"config": map[string]any{"name": "named"}}
	given := &Given{Sample: sample, Beside: []*unstructured.Unstructured{object("ConfigMap", "named"), object("ConfigMap", "other"), object("Secret", "named")}}
	for name, tc := range map[string]struct {
		field *v1alpha1.Field
		want  string
	}{
		"an object": {&v1alpha1.Field{Path: "spec.config"}, "[other named]"},
		"a name":    {&v1alpha1.Field{Path: "spec.config.name", As: v1alpha1.AsName}, "[other named]"},
		"nothing":   {nil, "[named other named]"},
	} {
		found := &infer.Findings{}
		found.Spec.Contract.Spec.ConfigMapRef = tc.field
		var names []string
		for _, object := range given.Setup(found) {
			names = append(names, object.GetName())
		}
		if got := fmt.Sprint(names); got != tc.want {
			t.Errorf("configMapRef is %s: %s, want %s", name, got, tc.want)
		}
	}
}

// TestSpecWithoutNamespace: an object without a namespace names that of the visit wherever it
// names one, because the controller sees no other.
func TestSpecWithoutNamespace(t *testing.T) {
	dir := t.TempDir()
	sample := `apiVersion: example.com/v1
kind: Graph
metadata: {name: all}
spec:
  namespace: prod
  secretRef: {name: key, secretNamespace: prod}
  text: in {{ .namespace }}, as prod
  namespaces: [prod]
  several: {namespaces: [a, b]}
  parts: [{namespace: prod, size: 2}]
`
	given, err := Read([]string{write(t, dir, "crd.yaml", crd("Graph", "Cluster"))}, write(t, dir, "sample.yaml", sample), nil, []string{"manager"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"namespace": Namespace, "secretRef": map[string]any{"name": "key", "secretNamespace": Namespace}, "text": "in " + Namespace + ", as prod",
		"namespaces": []any{Namespace}, "several": map[string]any{"namespaces": []any{"a", "b"}},
		"parts": []any{map[string]any{"namespace": Namespace, "size": int64(2)}},
	}
	if diff := cmp.Diff(want, given.spec("all", nil)); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
}

// TestDraftOfACluster: the first profile of a resource without a namespace has the sample, and what
// the CRD refuses of it is told before the look.
func TestDraftOfACluster(t *testing.T) {
	dir := t.TempDir()
	schema := "schema: {openAPIV3Schema: {type: object, required: [spec], properties: {spec: {type: object, required: [size], properties: {size: {type: integer, maximum: 3}, space: {type: string}}}}}}"
	definition := write(t, dir, "crd.yaml", strings.Replace(crd("Graph", "Cluster"), "storage: true", "storage: true, "+schema, 1))
	roles := write(t, dir, "rbac.yaml", "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: keeper}\nrules: [{apiGroups: [example.com], resources: [graphs], verbs: [get]}]\n")
	for spec, want := range map[string]string{
		"{size: 2, space: '{{ .namespace }} {{ x }}'}": "<nil>",
		"{size: 4}": "--sample: spec.size: Invalid value: 4: spec.size in body should be less than or equal to 3",
	} {
		given, err := Read([]string{definition}, write(t, dir, "sample.yaml", "apiVersion: example.com/v1\nkind: Graph\nmetadata: {name: all}\nspec: "+spec+"\n"), nil, []string{"/bin/sh"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := given.Draft(Place{Profile: filepath.Join(dir, "mine.yaml"), CRDs: []string{definition}, RBAC: []string{roles}}); fmt.Sprint(err) != want {
			t.Errorf("%s: got %v, want %s", spec, err, want)
		}
	}
}
