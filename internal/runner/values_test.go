package runner

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/dynamic"

	"reconform.dev/reconform/envtest"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/scenario/chainsaw"
	"reconform.dev/reconform/internal/scenario/render"
)

// anything is a scenario that creates an object, of which the base makes the rest.
const anything = `apiVersion: chainsaw.kyverno.io/v1alpha1
kind: Test
metadata: {name: xx-001}
spec:
  namespace: default
  skipDelete: true
  steps:
  - try:
    - create: {resource: {apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, metadata: {name: ours}, spec: {image: a:1}}}
    - assert: {resource: {apiVersion: v1, kind: Namespace, metadata: {name: default}}}
`

// TestValuesArrive: each value, also one that something on the way might change, is
// stored in the same way by a scenario as by a direct write.
func TestValuesArrive(t *testing.T) {
	startsControlPlane(t)
	data, err := os.ReadFile("../profile/testdata/values.json")
	if err != nil {
		t.Fatal(err)
	}
	var values []any
	if err := utiljson.Unmarshal(data, &values); err != nil {
		t.Fatal(err)
	}
	p, err := profile.Resolve("reference")
	if err != nil {
		t.Fatal(err)
	}
	p.Spec.Contract.Resource.Group, p.Spec.Contract.Resource.Version = "example.com", "v1"
	p.Spec.Contract.Resource.Kind, p.Spec.Contract.Resource.Plural = "Shop", "shops"
	base, err := json.Marshal(map[string]any{"values": profile.EscapeAll(values)})
	if err != nil {
		t.Fatal(err)
	}
	p.Spec.Contract.Base = &apiextensionsv1.JSON{Raw: base}

	dir := t.TempDir()
	controlPlane, err := envtest.Start(t.Context(), envtest.Options{WithoutPods: true, CRDs: []*apiextensionsv1.CustomResourceDefinition{shops()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { controlPlane.Stop(context.WithoutCancel(t.Context())) })
	objects, err := dynamic.NewForConfig(controlPlane.Config())
	if err != nil {
		t.Fatal(err)
	}
	resource := objects.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "shops"}).Namespace("default")
	direct := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Shop", "metadata": map[string]any{"name": "direct"},
		"spec": map[string]any{"image": "a:1", "values": values},
	}}
	if _, err := resource.Create(t.Context(), direct, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	want, err := resource.Get(t.Context(), "direct", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}

	file := "area/row/" + render.FileName
	scenario, err := render.LoadFS(fstest.MapFS{file: {Data: []byte(anything)}}, file)
	if err != nil {
		t.Fatal(err)
	}
	rendered, err := render.Render(scenario, p)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "rendered")
	if err := render.WriteDir(out, []*render.Rendered{rendered}, nil); err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := controlPlane.WriteKubeconfig(kubeconfig); err != nil {
		t.Fatal(err)
	}
	results, err := chainsaw.Run(t.Context(), chainsaw.Job{
		Tests: []string{filepath.Join(out, rendered.Folder())}, Kubeconfig: kubeconfig, Parallel: 1, TempDir: dir,
		Results: filepath.Join(dir, "results.json"), Log: filepath.Join(dir, "log"),
	}, func(chainsaw.Event) {})
	if err != nil || len(results) != 1 || !results[0].Passed {
		t.Fatalf("chainsaw: %v, %+v", err, results)
	}
	got, err := resource.Get(t.Context(), "ours", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Object["spec"], got.Object["spec"]); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

// shops may have anything in their spec.
func shops() *apiextensionsv1.CustomResourceDefinition {
	keep := true
	crd := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "shops.example.com"}}
	crd.Spec = apiextensionsv1.CustomResourceDefinitionSpec{
		Group: "example.com", Scope: apiextensionsv1.NamespaceScoped,
		Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "Shop", Plural: "shops"},
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
			Name: "v1", Served: true, Storage: true,
			Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
				Type:       "object",
				Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": {Type: "object", XPreserveUnknownFields: &keep}},
			}},
		}},
	}
	return crd
}
