package report

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// schemaOf returns a schema of the documentation.
func schemaOf(t *testing.T, name string) validation.SchemaValidator {
	t.Helper()
	data, err := os.ReadFile("../../docs/" + name + ".schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var v1 apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(data, &v1); err != nil {
		t.Fatal(err)
	}
	var props apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&v1, &props, nil); err != nil {
		t.Fatal(err)
	}
	validator, _, err := validation.NewSchemaValidator(&props)
	if err != nil {
		t.Fatal(err)
	}
	return validator
}

// TestPublishedSchema: reports that are written fit the schema in the documentation,
// and invalid ones do not. A test in tools compares that schema with the types.
func TestPublishedSchema(t *testing.T) {
	validator := schemaOf(t, "conformance-report")
	for name, tc := range map[string]struct {
		change func(report map[string]any)
		want   string
	}{
		"as written":     {func(map[string]any) {}, ""},
		"unknown field":  {func(r map[string]any) { r["more"] = 1 }, "more"},
		"no such word":   {func(r map[string]any) { r["verdict"] = "Good" }, "verdict"},
		"without result": {func(r map[string]any) { delete(r, "results") }, "results"},
		"a result's":     {func(r map[string]any) { r["results"].([]any)[0].(map[string]any)["verdict"] = "passed" }, "results[0].verdict"},
	} {
		t.Run(name, func(t *testing.T) {
			r := sample()
			r.Claims = v1alpha1.Claims{Unowned: "refuse", Cleanup: "gc", Features: []v1alpha1.Feature{"status"}}
			r.ProfileDigest = "sha256:00"
			r.Results[1].Evidence.Recent, r.Results[1].Evidence.Logs = []string{"#1 create"}, []string{"logs/a/subject-0.log"}
			r.Known = []v1alpha1.KnownResult{{KnownFailure: v1alpha1.KnownFailure{ID: "SH-004"}, State: v1alpha1.KnownFails}}
			r.Expired = []v1alpha1.Exemption{{Resources: []string{"pods"}, Why: "w", Expires: "2026-01-31"}}
			encoded, err := JSON(r)
			if err != nil {
				t.Fatal(err)
			}
			document := map[string]any{}
			if err := json.Unmarshal(encoded, &document); err != nil {
				t.Fatal(err)
			}
			document["date"] = "2026-01-02T03:04:05Z"
			tc.change(document)
			var said []string
			for _, problem := range validation.ValidateCustomResource(nil, document, validator) {
				said = append(said, problem.Error())
			}
			if tc.want == "" && len(said) > 0 {
				t.Errorf("it does not fit: %s", strings.Join(said, "\n"))
			}
			if tc.want != "" && !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, tc.want) }) {
				t.Errorf("it fits, or not for %s: %q", tc.want, said)
			}
		})
	}
}
