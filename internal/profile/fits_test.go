package profile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	noteCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: notes.example.com}
spec:
  group: example.com
  names: {kind: Note, plural: notes}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          data: {type: object, x-kubernetes-preserve-unknown-fields: true}
          spec:
            type: object
            required: [text, kind]
            x-kubernetes-validations:
            - {rule: "self.text != 'bad'", message: never bad}
            - {rule: "!has(oldSelf.mode) || self.mode == oldSelf.mode", message: the mode stays}
            properties:
              text: {type: string, maxLength: 12}
              kind: {type: string, default: plain}
              size: {type: integer, minimum: 1}
              mode: {type: string, enum: [A, B]}
              list: {type: array, x-kubernetes-list-type: set, items: {type: string}}
`
	noteRoles = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: keeper}\nrules: [{apiGroups: [example.com], resources: [notes], verbs: [get]}]\n"
	noteHook  = "apiVersion: admissionregistration.k8s.io/v1\nkind: %sWebhookConfiguration\nmetadata: {name: w}\n" +
		"webhooks: [{name: w.example.com, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {service: {name: s, namespace: system, path: /w}}, rules: [{apiGroups: [example.com], apiVersions: [v1], resources: [notes], operations: [CREATE]}]}]\n"
)

// TestSampleFits: a sample, and what an edit makes of it, is what the API server takes and keeps.
func TestSampleFits(t *testing.T) {
	const sample, edit = "spec.serves[0].sample: ", "spec.serves[0].edits[0].patch: "
	for name, tc := range map[string]struct {
		sample, patch, hook string
		want                []string
	}{
		"all that it has":              {"{data: {any: 1}, spec: {text: '{{ .name }}', size: 1, mode: A, list: [a, b]}}", "{spec: {size: 2, list: [c]}}", "", nil},
		"no spec is needed":            {"{data: {any: 1}, spec: {text: a, size: null}}", "{data: {any: 2}}", "", nil},
		"a field that is dropped":      {"{spec: {text: a, txt: b}}", "{spec: {size: 2}}", "", []string{sample + `spec.txt: the CRD has no such field (did you mean "text"?)`}},
		"a field of the root":          {"{dta: {}, spec: {text: a}}", "{spec: {size: 2}}", "", []string{sample + `dta: the CRD has no such field (did you mean "data"?)`}},
		"a text for a number":          {"{spec: {text: a, size: '1'}}", "{spec: {mode: A}}", "", []string{sample + `spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"`}},
		"what is missing":              {"{spec: {size: 1}}", "{spec: {size: 2}}", "", []string{sample + "spec.text: Required value"}},
		"a name that is too long":      {"{spec: {text: '{{ .name }}-{{ .name }}-{{ .name }}'}}", "{spec: {size: 2}}", "", []string{sample + "spec.text: Too long: may not be more than 12 bytes"}},
		"one of two, twice":            {"{spec: {text: a, list: [a, a]}}", "{spec: {size: 2}}", "", []string{sample + `spec.list[1]: Duplicate value: "a"`}},
		"a rule":                       {"{spec: {text: bad}}", "{spec: {size: 2}}", "", []string{sample + "spec: Invalid value: never bad"}},
		"an edit that is refused":      {"{spec: {text: a}}", "{spec: {mode: C}}", "", []string{edit + `spec.mode: Unsupported value: "C": supported values: "A", "B"`}},
		"an edit against a rule":       {"{spec: {text: a, mode: A}}", "{spec: {mode: B}}", "", []string{edit + "spec: Invalid value: the mode stays"}},
		"a webhook that puts it right": {"{spec: {size: 1}}", "{spec: {size: 2}}", "Mutating", nil},
		"a webhook that only refuses":  {"{spec: {size: 1}}", "{spec: {size: 2}}", "Validating", []string{sample + "spec.text: Required value"}},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"crd.yaml": noteCRD, "rbac.yaml": noteRoles}
			install, webhook := "crds: [crd.yaml], rbac: [rbac.yaml]", ""
			if tc.hook != "" {
				files["hook.yaml"] = fmt.Sprintf(noteHook, tc.hook)
				install, webhook = install+", webhooks: [hook.yaml]", ", ports: [w], webhook: {port: w}"
			}
			files["mine.yaml"] = fmt.Sprintf(`apiVersion: reconform.dev/v1alpha1
kind: Profile
metadata: {name: mine}
spec:
  implementation: {name: mine}
  serves:
  - resource: {group: example.com, version: v1, kind: Note, plural: notes}
    sample: %s
    edits: [{name: one, patch: %s}]
  claims: {times: {longestRetryPause: 30s, shutdownGrace: 10s}}
  install: {%s}
  launch: {command: [/bin/sh]%s}
`, tc.sample, tc.patch, install, webhook)
			checkFits(t, inDir(t, files), tc.want)
		})
	}
}

// TestBaseFits: what the API server would drop of a base is told.
func TestBaseFits(t *testing.T) {
	for name, tc := range map[string]struct {
		base, root string
		want       []string
	}{
		"all that it has":         {"{kind: '{{ .name }}', size: 1}", "{data: {any: 1}}", nil},
		"a field that is dropped": {"{sze: 1}", "{dat: {}}", []string{`spec.contract.base: spec.sze: the CRD has no such field (did you mean "size"?)`, `spec.contract.root: dat: the CRD has no such field (did you mean "data"?)`}},
	} {
		t.Run(name, func(t *testing.T) {
			checkFits(t, inDir(t, map[string]string{"crd.yaml": noteCRD, "rbac.yaml": noteRoles, "mine.yaml": fmt.Sprintf(`apiVersion: reconform.dev/v1alpha1
kind: Profile
metadata: {name: mine}
spec:
  implementation: {name: mine}
  contract:
    resource: {group: example.com, version: v1, kind: Note, plural: notes}
    spec: {image: {path: spec.text}}
    base: %s
    root: %s
    children: {deployment: {name: "{{ .name }}", container: web}}
  claims: {unowned: refuse, cleanup: gc, times: {longestRetryPause: 30s, shutdownGrace: 10s}}
  install: {crds: [crd.yaml], rbac: [rbac.yaml]}
  launch: {command: [/bin/sh]}
`, tc.base, tc.root)}), tc.want)
		})
	}
}

func checkFits(t *testing.T, p *Profile, want []string) {
	t.Helper()
	var got []string
	if err := p.CheckFiles(); err != nil {
		for line := range strings.SplitSeq(err.Error(), "\n") {
			_, text, _ := strings.Cut(line, ": ")
			got = append(got, text)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}
