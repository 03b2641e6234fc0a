package draft

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/discover/infer"
	"reconform.dev/reconform/internal/profile"
)

// FuzzValues checks that a JSON value of a sample, and a text in an annotation, a variable and
// an argument, are in the profile that is written as they were.
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
		text := "WATCH"
		_ = json.Unmarshal(seed, &text) // it stays if the seed is not a text
		f.Add([]byte(seed), text)
	}
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		var value any
		if !utf8.Valid(data) || utiljson.Unmarshal(data, &value) != nil || !utf8.ValidString(text) {
			return // no API server accepts it
		}
		text = strings.ReplaceAll(text, "\x00", "") // no argument and no variable can have it
		found := findings()
		raw, err := json.Marshal(map[string]any{"value": profile.EscapeAll(value)})
		if err != nil {
			t.Fatal(err)
		}
		found.Spec.Contract.Base = &apiextensionsv1.JSON{Raw: raw}
		found.Spec.Contract.Root = found.Spec.Contract.Base
		found.Spec.Contract.Metadata = &v1alpha1.PrimaryMetadata{Annotations: map[string]string{"text": profile.EscapeTemplates(text)}}
		found.Spec.Launch.Env = map[string]string{"TEXT": profile.EscapeTemplates(text)}
		found.Spec.Launch.Command = []string{"bin/mine", profile.EscapeTemplates(text)}

		written, err := Write("mine", found)
		if err != nil {
			t.Fatal(err)
		}
		p, err := profile.Parse("mine.yaml", written)
		if err != nil {
			t.Fatalf("what is written is not a profile: %v\n%s", err, written)
		}
		base, err := p.Base("demo")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(stored(t, value), stored(t, base["value"])); diff != "" {
			t.Errorf("base (-want +got):\n%s\n%s", diff, written)
		}
		root, err := p.Root("demo")
		if err != nil {
			t.Fatal(err)
		}
		around := map[string]any{"metadata": profile.Metadata(nil, map[string]string{"text": text}), "value": value}
		if diff := cmp.Diff(stored(t, around), stored(t, root)); diff != "" {
			t.Errorf("root (-want +got):\n%s\n%s", diff, written)
		}
		env, err := p.Env(profile.Replica{})
		if err != nil || env["TEXT"] != text {
			t.Errorf("variable %q, %v; want %q:\n%s", env["TEXT"], err, text, written)
		}
		if args := p.Spec.Launch.Command; args[1] != profile.EscapeTemplates(text) {
			t.Errorf("argument %q; want %q", args[1], text)
		}
	})
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

// findings are as few as a profile needs.
func findings() *infer.Findings {
	found := &infer.Findings{Notes: map[string]infer.Note{
		"contract.base": {Basis: infer.Guessed, Text: "what the sample has"},
	}}
	spec := &found.Spec
	spec.Implementation.Name = "mine"
	spec.Contract.Resource = v1alpha1.PrimaryResource{Group: "example.com", Version: "v1", Kind: "Shop", Plural: "shops"}
	spec.Contract.Spec.Image = &v1alpha1.Field{Path: "spec.image"}
	spec.Contract.Children.Deployment = v1alpha1.DeploymentChild{Name: "{{ .name }}", Container: "web"}
	spec.Claims = v1alpha1.Claims{Unowned: v1alpha1.OwnershipRefuse, Cleanup: "gc"}
	spec.Claims.Times.LongestRetryPause = metav1.Duration{Duration: 1}
	spec.Install = v1alpha1.Install{CRDs: []string{"crd.yaml"}, RBAC: []string{"rbac.yaml"}}
	return found
}
