package infer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

const ungivenSchema = `
properties:
  spec:
    properties:
      type: {type: string}
      version: {type: string}
      imagePullPolicy: {type: string}
      flavour: {type: string, enum: [a, b]}
      podTemplateSpec:
        type: object
        properties:
          spec:
            type: object
            properties:
              containers:
                type: array
                items:
                  type: object
                  properties:
                    name: {type: string}
                    image: {type: string}
                    env:
                      type: array
                      items: {type: object, properties: {name: {type: string}, value: {type: string}}}
              initContainers:
                type: array
                items: {type: object, properties: {image: {type: string}}}
`

// TestUngiven: a field of the CRD that the sample does not have is not tried, and that is told.
func TestUngiven(t *testing.T) {
	const container = "spec.podTemplateSpec.spec.containers[0]"
	for name, tc := range map[string]struct {
		sample string
		acts   []Act
		image  []string
		env    []string
	}{
		"an empty sample":        {"{}", nil, []string{"spec.version", container + ".image"}, []string{container + ".env"}},
		"a version":              {"version: '1'", nil, []string{container + ".image"}, []string{container + ".env"}},
		"a container without":    {"podTemplateSpec: {spec: {containers: [{name: a}]}}", nil, []string{"spec.version", container + ".image"}, []string{container + ".env"}},
		"a container":            {"podTemplateSpec: {spec: {containers: [{name: a, image: b}]}}", nil, []string{"spec.version"}, []string{container + ".env"}},
		"a field that was tried": {"{}", []Act{{Deed: Change, Path: "spec.version"}}, []string{container + ".image"}, []string{container + ".env"}},
	} {
		t.Run(name, func(t *testing.T) {
			version, spec := &apiextensionsv1.CustomResourceDefinitionVersion{Schema: &apiextensionsv1.CustomResourceValidation{}}, map[string]any{}
			if err := yaml.Unmarshal([]byte(ungivenSchema), &version.Schema.OpenAPIV3Schema); err != nil {
				t.Fatal(err)
			}
			if err := yaml.Unmarshal([]byte(tc.sample), &spec); err != nil {
				t.Fatal(err)
			}
			f := &finder{Record: &Record{Version: version, Acts: tc.acts}, first: Act{Deed: Create, To: spec}}
			if diff := cmp.Diff(tc.image, f.ungiven(RoleImage)); diff != "" {
				t.Errorf("fields for the image (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.env, f.ungiven(RoleEnv)); diff != "" {
				t.Errorf("fields for the variables (-want +got):\n%s", diff)
			}
		})
	}
}

// TestImageOptional: an image may be left out if an object without it was accepted, be it the
// sample itself.
func TestImageOptional(t *testing.T) {
	omit := Act{Deed: Omit, Object: "omitted", Path: "spec.image"}
	refused := omit
	refused.Refused = "spec.image: Required value"
	for name, tc := range map[string]struct {
		sample any
		acts   []Act
		want   bool
	}{
		"the sample has none":    {map[string]any{"replicas": int64(2)}, nil, true},
		"the sample has one":     {map[string]any{"image": "a:1"}, nil, false},
		"one without was taken":  {map[string]any{"image": "a:1"}, []Act{omit}, true},
		"one without is refused": {map[string]any{"image": "a:1"}, []Act{refused}, false},
		"no object was created":  {nil, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := &finder{Record: &Record{Acts: tc.acts}}
			f.first.To = tc.sample
			if got := f.imageOptional("spec.image"); got != tc.want {
				t.Errorf("optional: %t, want %t", got, tc.want)
			}
		})
	}
}
