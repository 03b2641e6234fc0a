package snapshot

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// TestDefaulted: a value that a webhook may have filled in may come and go. Any other
// change is a difference.
func TestDefaulted(t *testing.T) {
	for name, tc := range map[string]struct{ resource, was, is, want string }{
		"a value that goes":             {"webapps.apps.kubedojo.io", `{metadata: {name: demo}, spec: {a: 1, size: small}}`, `{metadata: {name: demo}, spec: {a: 1}}`, ""},
		"a value that appears":          {"webapps.apps.kubedojo.io", `{metadata: {name: demo}, spec: {a: 1}}`, `{metadata: {name: demo}, spec: {a: 1, size: small}}`, ""},
		"below another":                 {"webapps.apps.kubedojo.io", `{metadata: {name: demo}, spec: {in: {a: 1, b: {}}}}`, `{metadata: {name: demo}, spec: {in: {a: 1, c: []}}}`, ""},
		"a value that changes":          {"webapps.apps.kubedojo.io", `{metadata: {name: demo}, spec: {a: 1, size: small}}`, `{metadata: {name: demo}, spec: {a: 2}}`, "spec.a: 2, was 1"},
		"below an entry of a list":      {"webapps.apps.kubedojo.io", `{metadata: {name: demo}, spec: {in: [{a: 1, b: {}}]}}`, `{metadata: {name: demo}, spec: {in: [{a: 1}]}}`, ""},
		"another value in a list":       {"webapps.apps.kubedojo.io", `{metadata: {name: demo}, spec: {in: [{a: 1}]}}`, `{metadata: {name: demo}, spec: {in: [{a: 2}]}}`, "spec.in[0].a: 2, was 1"},
		"another entry in a list":       {"webapps.apps.kubedojo.io", `{metadata: {name: demo}, spec: {in: [1]}}`, `{metadata: {name: demo}, spec: {in: [1, 2]}}`, "spec.in[1]: 2, was not there"},
		"a field of the status":         {"webapps.apps.kubedojo.io", `{metadata: {name: demo}, status: {a: 1}}`, `{metadata: {name: demo}, status: {}}`, "status.a: is missing, was 1"},
		"a label":                       {"webapps.apps.kubedojo.io", `{metadata: {name: demo, labels: {a: b}}}`, `{metadata: {name: demo, labels: {}}}`, "metadata.labels.a: is missing, was \"b\""},
		"a child, of which it is drift": {"services", `{metadata: {name: demo}, spec: {a: 1, size: small}}`, `{metadata: {name: demo}, spec: {a: 1}}`, "spec.size: is missing, was \"small\""},
	} {
		t.Run(name, func(t *testing.T) {
			of := func(text string) object { return objectOf(t, tc.resource, text) }
			got, err := differences(statusOf(t, of(tc.was)), statusOf(t, of(tc.is)), history.Identities{}, allowance{defaulted: "webapps.apps.kubedojo.io "})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, strings.TrimPrefix(strings.Join(got, "; "), tc.resource+" demo: ")); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWhoseSpecIsFilledIn: only a webhook that may change objects of the primary resource
// fills in their spec.
func TestWhoseSpecIsFilledIn(t *testing.T) {
	configuration := func(kind, group, resource string) string {
		return `apiVersion: admissionregistration.k8s.io/v1
kind: ` + kind + `
metadata: {name: mine}
webhooks:
- name: mine.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {service: {name: mine, namespace: mine, path: /x}}
  rules: [{apiGroups: ["` + group + `"], apiVersions: ["*"], operations: ["*"], resources: ["` + resource + `"]}]
`
	}
	for name, tc := range map[string]struct{ manifest, want string }{
		"none":          {"", ""},
		"mutating":      {configuration("MutatingWebhookConfiguration", "apps.kubedojo.io", "webapps"), "webapps.apps.kubedojo.io "},
		"of everything": {configuration("MutatingWebhookConfiguration", "*", "*/*"), "webapps.apps.kubedojo.io "},
		"of Pods":       {configuration("MutatingWebhookConfiguration", "", "pods"), ""},
		"validating":    {configuration("ValidatingWebhookConfiguration", "apps.kubedojo.io", "webapps"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := profile.Resolve(profile.Default)
			if err != nil {
				t.Fatal(err)
			}
			p.Dir, p.Spec.Install.Webhooks = t.TempDir(), nil
			if tc.manifest != "" {
				if err := os.WriteFile(filepath.Join(p.Dir, "webhooks.yaml"), []byte(tc.manifest), 0o600); err != nil {
					t.Fatal(err)
				}
				p.Spec.Install.Webhooks = []string{"webhooks.yaml"}
			}
			got, err := defaulted(p)
			if err != nil || got != tc.want {
				t.Errorf("defaulted = %q, %v, want %q", got, err, tc.want)
			}
		})
	}
}
