package template

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTemplate(t *testing.T) {
	compiled, err := Compile([]byte(`{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": {"name": "demo", "labels": {"number": "n{{ .i }}"}},
		"spec": {
			"replicas": "{{ add (mod .i 3) 1 }}", "image": "a:v{{ mul .i 2 }}", "plain": "7", "kept": 7, "on": true, "none": null,
			"list": ["{{ .i }}", {"word": "{{ if eq .i 4 }}last{{ else }}{{ .i }}{{ end }}"}]
		}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int]map[string]any{
		1: {
			"replicas": int64(2), "image": "a:v2", "plain": "7", "kept": int64(7), "on": true, "none": nil,
			"list": []any{int64(1), map[string]any{"word": int64(1)}},
		},
		4: {
			"replicas": int64(2), "image": "a:v8", "plain": "7", "kept": int64(7), "on": true, "none": nil,
			"list": []any{int64(4), map[string]any{"word": "last"}},
		},
	} {
		object, err := compiled.Object(i)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, object.Object["spec"]); diff != "" {
			t.Errorf("spec of %d (-want +got):\n%s", i, diff)
		}
		if got := object.GetLabels()["number"]; got != "n"+string(rune('0'+i)) {
			t.Errorf("label of %d: %q", i, got)
		}
	}
}

func TestTemplatesThatAreRefused(t *testing.T) {
	for name, tc := range map[string]struct{ template, want string }{
		"no JSON":           {`{`, "reading the template"},
		"no kind":           {`{"apiVersion": "v1", "metadata": {"name": "a"}}`, "the template has no kind"},
		"no name":           {`{"apiVersion": "v1", "kind": "ConfigMap"}`, "the template has no metadata.name"},
		"broken expression": {`{"apiVersion": "v1", "kind": "A", "spec": {"b": ["{{ .i "]}}`, "spec.b[0]"},
		"unknown function":  {`{"spec": {"b": "{{ sub .i 1 }}"}}`, `function "sub" not defined`},
		"unknown value":     {`{"spec": {"b": "{{ .name }}"}}`, "map has no entry for key"},
		"by zero":           {`{"spec": {"b": "{{ mod .i 0 }}"}}`, "mod by zero"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Compile([]byte(tc.template))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
		})
	}
}
