package history

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestChanges(t *testing.T) {
	for name, tc := range map[string]struct {
		was, is string
		want    []string // in words, or the path alone if the values are not told
	}{
		"a number":          {`{"spec":{"replicas":5}}`, `{"spec":{"replicas":2}}`, []string{"spec.replicas from 5 to 2"}},
		"a label goes":      {`{"metadata":{"labels":{"a":"x","b":"y"}}}`, `{"metadata":{"labels":{"a":"x"}}}`, []string{`metadata.labels.b from "y" to nothing`}},
		"the first labels":  {`{"metadata":{}}`, `{"metadata":{"labels":{"a":"x","b":"y"}}}`, []string{`metadata.labels.a from nothing to "x"`, `metadata.labels.b from nothing to "y"`}},
		"the last labels":   {`{"metadata":{"labels":{"a":"x"}}}`, `{"metadata":{}}`, []string{`metadata.labels.a from "x" to nothing`}},
		"the first notes":   {`{"metadata":{}}`, `{"metadata":{"annotations":{"a":"x"}}}`, []string{`metadata.annotations.a from nothing to "x"`}},
		"a map of objects":  {`{"spec":{}}`, `{"spec":{"template":{"spec":{"a":"b"}}}}`, []string{"spec.template"}},
		"a list of texts":   {`{"metadata":{"finalizers":["a","b"]}}`, `{"metadata":{}}`, []string{`metadata.finalizers from ["a","b"] to nothing`}},
		"a list gets empty": {`{"metadata":{"finalizers":["a"]}}`, `{"metadata":{"finalizers":[]}}`, []string{`metadata.finalizers from ["a"] to nothing`}},
		"a list of objects": {`{"spec":{"ports":[{"port":1}]}}`, `{"spec":{"ports":[]}}`, []string{"spec.ports"}},
		"an owner goes": {
			`{"metadata":{"ownerReferences":[{"kind":"WebApp","name":"demo","uid":"1"}]}}`, `{"metadata":{}}`,
			[]string{`metadata.ownerReferences from ["WebApp demo"] to nothing`},
		},
		"a long text":     {`{"spec":{"text":"a"}}`, `{"spec":{"text":"` + strings.Repeat("x", 100) + `"}}`, []string{"spec.text"}},
		"a Secret's data": {`{"data":{"key":"a"}}`, `{"data":{"key":"b"}}`, []string{"data.key"}},
		"an environment": {
			`{"spec":{"containers":[{"env":[{"name":"A","value":"x"}]}]}}`, `{"spec":{"containers":[{"env":[{"name":"A","value":"y"}]}]}}`,
			[]string{"spec.containers[0].env[0].value"},
		},
		"what says that it is secret":   {`{"spec":{"adminPassword":"a"}}`, `{"spec":{"adminPassword":"b"}}`, []string{"spec.adminPassword"}},
		"what the API server maintains": {`{"metadata":{"resourceVersion":"1","generation":1}}`, `{"metadata":{"resourceVersion":"2","generation":2}}`, nil},
		"an annotation": {
			`{"metadata":{"annotations":{"a.example/b":"x"}}}`, `{"metadata":{"annotations":{"a.example/b":"y"}}}`,
			[]string{`metadata.annotations.a.example/b from "x" to "y"`},
		},
		"an annotation goes": {
			`{"metadata":{"annotations":{"a":"x","b":"y"}}}`, `{"metadata":{"annotations":{"b":"y"}}}`, []string{`metadata.annotations.a from "x" to nothing`},
		},
		"a long annotation": {
			`{"metadata":{"annotations":{"a":"` + strings.Repeat("x", 100) + `"}}}`, `{"metadata":{"annotations":{"a":"y"}}}`,
			[]string{`metadata.annotations.a from "` + strings.Repeat("x", 39) + `…" to "y"`},
		},
		"an annotation that holds the whole object": {
			`{"metadata":{"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}"}}}`, `{"metadata":{"annotations":{}}}`,
			[]string{"metadata.annotations.kubectl.kubernetes.io/last-applied-configuration"},
		},
		"an annotation that says that it is secret": {
			`{"metadata":{"annotations":{"token":"x"}}}`, `{"metadata":{"annotations":{"token":"y"}}}`, []string{"metadata.annotations.token"},
		},
		"a label of a Secret": {
			`{"kind":"Secret","metadata":{"labels":{"a":"x"}}}`, `{"kind":"Secret","metadata":{"labels":{"a":"y"}}}`, []string{"metadata.labels.a"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var was, is map[string]any
			for text, into := range map[string]*map[string]any{tc.was: &was, tc.is: &is} {
				if err := json.Unmarshal([]byte(text), into); err != nil {
					t.Fatal(err)
				}
			}
			got, values, more := Changes(was, is, func(any, any) {})
			for n, path := range got {
				for _, value := range values {
					if value.Path == path {
						got[n] = value.InWords()
					}
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" || more != 0 {
				t.Errorf("%d more; changes (-want +got):\n%s", more, diff)
			}
		})
	}
}

// TestSpecInWords: of a write, the fields are told that raise the generation.
func TestSpecInWords(t *testing.T) {
	replicas := Change{Path: "spec.replicas", Was: "1", Is: "2"}
	for name, tc := range map[string]struct {
		request Request
		want    string
	}{
		"nothing is known":     {Request{}, ""},
		"metadata and status":  {Request{Changed: []string{"metadata.labels.a", "status.phase"}}, ""},
		"a value that is told": {Request{Changed: []string{"metadata.labels.a", "spec.replicas"}, Values: []Change{replicas}}, ", which changed spec.replicas from 1 to 2"},
		"and one that is not":  {Request{Changed: []string{"spec.env", "spec.replicas"}, Values: []Change{replicas}}, ", which changed spec.env, spec.replicas from 1 to 2"},
		"many":                 {Request{Changed: []string{"spec.a", "spec.b", "spec.c", "spec.d", "spec.e"}}, ", which changed spec.a, spec.b, spec.c, spec.d and 1 more"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tc.request.SpecInWords(); got != tc.want {
				t.Errorf("SpecInWords = %q, want %q", got, tc.want)
			}
		})
	}
}
