package profile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const hooks = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: validating}
webhooks:
- name: v.sites.example.com
  clientConfig: {service: {name: webhook, namespace: system, path: /validate}}
  rules: [{apiGroups: [example.com], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [sites]}]
  admissionReviewVersions: [v1]
  sideEffects: None
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: mutating}
webhooks:
- name: m.sites.example.com
  clientConfig: {service: {name: webhook, namespace: system, path: /mutate}}
  failurePolicy: Ignore
  rules: [{apiGroups: [example.com], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [sites]}]
  admissionReviewVersions: [v1]
  sideEffects: None
`

// withWebhook claims the feature.
func withWebhook(t *testing.T) string {
	t.Helper()
	return edit(t, minimal, "claims: {", "claims: {features: [webhook], ", "rbac: [rbac.yaml]", "rbac: [rbac.yaml]\n    webhooks: [hooks.yaml]",
		"[./site]", "[./site, '--certs={{ .certificates }}']\n    ports: [hook]\n    webhook: {port: hook}")
}

func TestWebhooks(t *testing.T) {
	p := inDir(t, map[string]string{"mine.yaml": withWebhook(t), "hooks.yaml": hooks, "site": "#!/bin/true"})
	configurations, err := p.Webhooks()
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, configuration := range configurations {
		for _, hook := range Hooks(configuration) {
			paths = append(paths, configuration.GetName()+" "+hook.Name+" "+*hook.ClientConfig.Service.Path)
		}
	}
	want := "validating v.sites.example.com /validate, mutating m.sites.example.com /mutate"
	if got := strings.Join(paths, ", "); got != want {
		t.Errorf("webhooks: %s, want %s", got, want)
	}
	command, err := p.Command(Replica{Certificates: "/run/files"})
	if err != nil || command[1] != "--certs=/run/files" {
		t.Errorf("command: %v, %v", command, err)
	}
}

// TestWebhooksOfBundle reads them in a ClusterServiceVersion, of which the Operator Lifecycle
// Manager makes a configuration each. A conversion is no admission webhook.
func TestWebhooksOfBundle(t *testing.T) {
	const version = `apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: site.v1}
spec:
  webhookdefinitions:
  - type: ValidatingAdmissionWebhook
    generateName: v.sites.example.com
    deploymentName: site
    containerPort: 443
    targetPort: 9443
    webhookPath: /validate
    rules: [{apiGroups: [example.com], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [sites]}]
    admissionReviewVersions: [v1]
    failurePolicy: Fail
    sideEffects: None
  - type: MutatingAdmissionWebhook
    generateName: m.sites.example.com
    deploymentName: site
    webhookPath: /mutate
    rules: [{apiGroups: [example.com], apiVersions: [v1], operations: [CREATE], resources: [sites]}]
    admissionReviewVersions: [v1]
    objectSelector: {matchLabels: {a: b}}
    reinvocationPolicy: IfNeeded
    sideEffects: None
  - {type: ConversionWebhook, generateName: c.sites.example.com, conversionCRDs: [sites.example.com], webhookPath: /convert, admissionReviewVersions: [v1], sideEffects: None}
`
	files := map[string]string{"mine.yaml": withWebhook(t), "hooks.yaml": version, "crd.yaml": crd, "rbac.yaml": roles, "site": "#!/bin/true"}
	p := inDir(t, files)
	if err := p.CheckFiles(); err != nil { // an UPDATE is refused if the webhook cannot be reached
		t.Error(err)
	}
	configurations, err := p.Webhooks()
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, configuration := range configurations {
		for _, hook := range Hooks(configuration) {
			told = append(told, fmt.Sprintf("%T %s %s %v", configuration, hook.Name, *hook.ClientConfig.Service.Path, hook.Rules[0].Operations))
		}
	}
	want := []string{
		"*v1.ValidatingWebhookConfiguration v.sites.example.com /validate [CREATE UPDATE]",
		"*v1.MutatingWebhookConfiguration m.sites.example.com /mutate [CREATE]",
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
	files["hooks.yaml"] = strings.Replace(version, "sideEffects", "sideEffect", 1)
	if err := inDir(t, files).CheckFiles(); err == nil ||
		!strings.Contains(err.Error(), "hooks.yaml:6: ValidatingWebhookConfiguration v.sites.example.com: webhooks[0].sideEffect: unknown field") {
		t.Errorf("a misspelt field: %v", err)
	}
}

func TestWebhooksThatCannotBe(t *testing.T) {
	for name, tc := range map[string]struct {
		edits []string
		want  string
	}{
		"all there":     {},
		"not there":     {[]string{hooks, ""}, "spec.install.webhooks[0]: no such file"},
		"another kind":  {[]string{"kind: Validating", "kind: Seeing"}, "no webhook in the manifests refuses an UPDATE of sites.example.com"},
		"another field": {[]string{"  sideEffects: None", "  sideEffect: None"}, "hooks.yaml:9: ValidatingWebhookConfiguration validating: webhooks[0].sideEffect: unknown field; allowed here: admissionReviewVersions, "},
		"a url": {
			[]string{"{service: {name: webhook, namespace: system, path: /validate}}", "{url: 'https://example.com'}"},
			"spec.install.webhooks[0]: ValidatingWebhookConfiguration validating: webhook v.sites.example.com: clientConfig.service is required",
		},
		"cluster-scoped": {[]string{"resources: [sites]}", "resources: [sites], scope: Cluster}"}, "webhook v.sites.example.com: rules[0].scope is Cluster"},
		"not of updates": {[]string{"[CREATE, UPDATE]", "[CREATE]"}, "webhook is claimed, but no webhook in the manifests refuses an UPDATE of sites.example.com"},
		"of others":      {[]string{"[sites]", "[pages]"}, "webhook is claimed, but no webhook"},
		"of the status":  {[]string{"[sites]", "[sites/status]"}, "webhook is claimed, but no webhook"},
		"ignored":        {[]string{"  sideEffects: None", "  sideEffects: None\n  failurePolicy: Ignore"}, "webhook is claimed, but no webhook"},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{
				"mine.yaml": withWebhook(t), "hooks.yaml": edit(t, hooks, tc.edits...), "crd.yaml": crd, "rbac.yaml": roles, "site": "#!/bin/true",
			}
			if files["hooks.yaml"] == "" {
				delete(files, "hooks.yaml")
			}
			err := inDir(t, files).CheckFiles()
			if tc.want == "" && err != nil {
				t.Fatal(err)
			}
			if tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "mine.yaml:18: ")) {
				t.Errorf("missing %q in\n%v", tc.want, err)
			}
		})
	}
}
