package chainsaw

import (
	"encoding/json"
	"os"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/kyverno/chainsaw/pkg/apis"
	"github.com/kyverno/chainsaw/pkg/apis/v1alpha1"
	"github.com/kyverno/chainsaw/pkg/engine/templating"
	testloader "github.com/kyverno/chainsaw/pkg/loaders/test"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	profilev1 "reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/scenario/render"
)

// FuzzValues checks that Chainsaw creates an object with the values that a profile's base, its
// root and its annotations have, and with no others.
func FuzzValues(f *testing.F) {
	data, err := os.ReadFile("../../profile/testdata/values.json")
	if err != nil {
		f.Fatal(err)
	}
	var seeds []json.RawMessage
	if err := json.Unmarshal(data, &seeds); err != nil {
		f.Fatal(err)
	}
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	scenario := creation(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		var value any
		if !utf8.Valid(data) || utiljson.Unmarshal(data, &value) != nil {
			return // no API server accepts it
		}
		p := withBase(t, profile.EscapeAll(value))
		rendered, err := render.Render(scenario, p)
		if err != nil {
			t.Fatal(err)
		}
		text, err := rendered.YAML()
		if err != nil {
			t.Fatal(err)
		}
		tests, err := testloader.Parse(text, false)
		if err != nil {
			t.Fatalf("Chainsaw cannot read it: %v\n%s", err, text)
		}
		object := *tests[0].Spec.Steps[0].Try[0].Create.Resource
		object, err = templating.TemplateAndMerge(t.Context(), apis.DefaultCompilers, object, apis.NewBindings(), v1alpha1.NewProjection(object.UnstructuredContent()))
		if err != nil {
			t.Fatalf("Chainsaw cannot evaluate it: %v\n%s", err, text)
		}
		annotation, _ := value.(string)
		if diff := cmp.Diff(stored(t, []any{value, map[string]string{"text": annotation}}), stored(t, []any{object.Object["value"], object.GetAnnotations()})); diff != "" {
			t.Errorf("root and annotations (-want +got):\n%s\n%s", diff, text)
		}
		spec, _ := object.Object["spec"].(map[string]any)
		if diff := cmp.Diff(stored(t, map[string]any{"image": "a:1", "named": "it's demo's (demo)", "value": value}), stored(t, spec)); diff != "" {
			t.Errorf("spec (-want +got):\n%s\n%s", diff, text)
		}
	})
}

// creation is a scenario that creates an object.
func creation(t testing.TB) *render.Scenario {
	t.Helper()
	text := `apiVersion: chainsaw.kyverno.io/v1alpha1
kind: Test
metadata: {name: xx-001}
spec:
  steps:
  - try:
    - create: {resource: {apiVersion: apps.kubedojo.io/v1beta1, kind: WebApp, metadata: {name: demo}, spec: {image: a:1}}}
    - assert: {resource: {apiVersion: v1, kind: ConfigMap, metadata: {name: x}}}
`
	file := "area/row/" + render.FileName
	scenario, err := render.LoadFS(fstest.MapFS{file: {Data: []byte(text)}}, file)
	if err != nil {
		t.Fatal(err)
	}
	return scenario
}

// withBase is a profile whose base and root have a value, and an annotation if that is a text.
func withBase(t *testing.T, value any) *profile.Profile {
	t.Helper()
	base, err := json.Marshal(map[string]any{"value": value, "named": "it's {{ .name }}'s ({{ .name }})"})
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse("mine.yaml", []byte(`apiVersion: reconform.dev/v1alpha1
kind: Profile
metadata: {name: mine}
spec:
  implementation: {name: mine}
  contract:
    resource: {group: example.com, version: v1, kind: Shop, plural: shops}
    spec: {image: {path: spec.image}}
    children: {deployment: {}}
  claims: {unowned: refuse, cleanup: gc, times: {longestRetryPause: 30s}}
  install: {crds: [crd.yaml], rbac: [rbac.yaml]}
  launch: {command: [./shop]}
`))
	if err != nil {
		t.Fatal(err)
	}
	root, err := json.Marshal(map[string]any{"value": value})
	if err != nil {
		t.Fatal(err)
	}
	text, _ := value.(string)
	p.Spec.Contract.Base, p.Spec.Contract.Root = &apiextensionsv1.JSON{Raw: base}, &apiextensionsv1.JSON{Raw: root}
	p.Spec.Contract.Metadata = &profilev1.PrimaryMetadata{Annotations: map[string]string{"text": text}}
	return p
}

// stored is a value as the API server hands it out again.
func stored(t *testing.T, value any) string {
	t.Helper()
	var text []byte
	for range 2 { // it decodes what it wrote
		var err error
		if text, err = json.Marshal(value); err != nil {
			t.Fatal(err)
		}
		if err := utiljson.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
	}
	return string(text)
}
