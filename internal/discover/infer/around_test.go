package infer

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestOtherValues: if a value is refused, these values are tried next.
func TestOtherValues(t *testing.T) {
	for name, tc := range map[string]struct {
		present, refused any
		want             []any
	}{
		"a number":                    {int64(4), int64(3), []any{int64(5), int64(6), int64(8), int64(2), int64(9), int64(14)}},
		"an image, by its registry":   {"docker.io/acme/web:1", otherImage, []any{"docker.io/acme/" + otherImage, "docker.io/" + otherImage}},
		"an image without a folder":   {"web:1", otherImage, nil},
		"another text":                {"slow", "slow-look", nil},
		"an image that was not there": {nil, otherImage, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, OtherValues(tc.present, tc.refused)); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNumbers: the profile lists the numbers that the field accepts only if the bounds
// do not say it.
func TestNumbers(t *testing.T) {
	all := func(least, most int32) (numbers []int32) {
		for n := least; n <= most; n++ {
			numbers = append(numbers, n)
		}
		return numbers
	}
	bounds := &v1alpha1.Range{Minimum: 1, Maximum: 50}
	for name, tc := range map[string]struct {
		bounds *v1alpha1.Range
		taken  []int32
		want   []int32
	}{
		"all":                                  {nil, all(0, MostReplicas), nil},
		"as the CRD says":                      {bounds, all(1, MostReplicas), nil},
		"some, as an enum has them":            {nil, []int32{1, 3, 5}, []int32{1, 3, 5}},
		"those that are even":                  {bounds, []int32{2, 4}, []int32{2, 4}},
		"fewer than the bounds, by a rule":     {bounds, []int32{1, 2, 3}, []int32{1, 2, 3}},
		"it was not tried":                     {bounds, nil, nil},
		"not none, which the CRD does not say": {nil, all(1, MostReplicas), all(1, MostReplicas)},
	} {
		t.Run(name, func(t *testing.T) {
			f := &finder{Record: &Record{Replicas: tc.taken}}
			f.Notes = map[string]Note{}
			f.Spec.Contract.Spec.Replicas = &v1alpha1.Field{Path: "spec.replicas"}
			f.Spec.Contract.Bounds.Replicas = tc.bounds
			f.findNumbers()
			if diff := cmp.Diff(tc.want, f.Spec.Contract.Spec.Replicas.Values); diff != "" {
				t.Errorf("values (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAround: labels, annotations and other fields beside the spec of the sample go
// into the profile.
func TestAround(t *testing.T) {
	sample := map[string]any{
		"metadata": map[string]any{"labels": map[string]any{"tier": "web"}, "annotations": map[string]any{"class": "nginx"}},
		"data":     map[string]any{"mode": "fast"},
	}
	create := Act{Deed: Create, Object: "a"}
	for name, tc := range map[string]struct {
		acts  []Act
		basis Basis
	}{
		"one was made":           {[]Act{create}, Guessed},
		"a bare one got nothing": {[]Act{create, {Deed: Create, Object: "b", Refused: NothingMade}, {Deed: Create, Object: "b"}}, Seen},
		"nor did any other":      {[]Act{create, {Deed: Create, Object: "b", Refused: NothingMade}}, Guessed},
	} {
		t.Run(name, func(t *testing.T) {
			f := &finder{Record: &Record{Around: sample, Acts: tc.acts}, first: create}
			f.Notes = map[string]Note{}
			f.findAround()
			contract := f.Spec.Contract
			if diff := cmp.Diff(&v1alpha1.PrimaryMetadata{
				Labels: map[string]string{"tier": "web"}, Annotations: map[string]string{"class": "nginx"},
			}, contract.Metadata); diff != "" {
				t.Errorf("metadata (-want +got):\n%s", diff)
			}
			if contract.Root == nil || string(contract.Root.Raw) != `{"data":{"mode":"fast"}}` {
				t.Errorf("root %v", contract.Root)
			}
			for _, field := range []string{"contract.root", "contract.metadata.labels", "contract.metadata.annotations"} {
				if got := f.Notes[field].Basis; got != tc.basis {
					t.Errorf("%s is %s, want %s", field, got, tc.basis)
				}
			}
		})
	}
}

// TestBounds: the bounds are numbers that the API server accepts, and none beyond them is.
func TestBounds(t *testing.T) {
	for name, tc := range map[string]struct {
		schema string
		want   *v1alpha1.Range
	}{
		"both are in":             {`{"minimum": 1, "maximum": 50}`, &v1alpha1.Range{Minimum: 1, Maximum: 50}},
		"the least is not":        {`{"minimum": 0, "exclusiveMinimum": true, "maximum": 50}`, &v1alpha1.Range{Minimum: 1, Maximum: 50}},
		"the greatest is not":     {`{"minimum": 0, "maximum": 50, "exclusiveMaximum": true}`, &v1alpha1.Range{Maximum: 49}},
		"fractions":               {`{"minimum": 0.5, "exclusiveMinimum": true, "maximum": 9.5, "exclusiveMaximum": true}`, &v1alpha1.Range{Minimum: 1, Maximum: 9}},
		"negative ones":           {`{"minimum": -1.5, "maximum": -0.5}`, &v1alpha1.Range{Minimum: -1, Maximum: -1}},
		"the greatest of 32 bits": {`{"minimum": 0, "maximum": 2147483647}`, &v1alpha1.Range{Maximum: 2147483647}},
		"more than 32 bits":       {`{"minimum": 0, "maximum": 4294967295}`, nil},
		"less than 32 bits":       {`{"minimum": -4294967295, "maximum": 5}`, nil},
		"nothing between them":    {`{"minimum": 1, "exclusiveMinimum": true, "maximum": 1}`, nil},
		"no greatest":             {`{"minimum": 1}`, nil},
	} {
		schema := &apiextensionsv1.JSONSchemaProps{}
		if err := json.Unmarshal([]byte(tc.schema), schema); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tc.want, boundsOf(schema)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
