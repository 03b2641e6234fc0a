package profile

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: sites.example.com}
spec:
  group: example.com
  names: {kind: Site, plural: sites}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              image: {type: string}
              size: {type: integer}
`

const roles = `apiVersion: v1
kind: List
items:
- apiVersion: rbac.authorization.k8s.io/v1
  kind: ClusterRole
  metadata: {name: site}
  rules: [{apiGroups: [apps], resources: [deployments], verbs: [create]}]
- apiVersion: v1
  kind: ServiceAccount
  metadata: {name: site}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: election}
rules: []
`

// inDir writes the files and loads mine.yaml.
func inDir(t *testing.T, files map[string]string) *Profile {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Load(filepath.Join(dir, "mine.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestCheckFiles(t *testing.T) {
	converting := strings.Replace(minimal, "[./site]", "[./site]\n    ports: [hook]\n    webhook: {port: hook, conversion: /convert}", 1)
	for name, tc := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"all there": {},
		"a folder":  {files: map[string]string{"crd.yaml": "", "crd.yaml/crd.yml": crd}},
		"kubebuilder's layout": {files: map[string]string{
			"crd.yaml": "", "crd.yaml/bases/crd.yml": crd, "crd.yaml/kustomizeconfig.yaml": "nameReference: []",
			"crd.yaml/kustomization.yaml": "resources:\n- bases/crd.yml\npatches:\n#- path: x\nconfigurations: [kustomizeconfig.yaml]",
		}},
		"kustomization of another": {files: map[string]string{
			"crd.yaml": "", "crd.yaml/kustomization.yaml": "namePrefix: x-\nbases: [../crds]",
			"crds/Kustomization": "resources: [crd.yml]", "crds/crd.yml": crd,
		}},
		"kustomization that patches": {
			files: map[string]string{
				"crd.yaml": "", "crd.yaml/crd.yml": strings.ReplaceAll(crd, "size:", "sizes:"),
				"crd.yaml/kustomization.yaml": "resources: [crd.yml]\npatches: [{path: x.yaml, target: {kind: CustomResourceDefinition}}]",
				"crd.yaml/x.yaml":             "- {op: move, from: /spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/sizes, path: /spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size}",
			},
		},
		"kustomization of nothing": {
			files: map[string]string{"crd.yaml": "", "crd.yaml/kustomization.yaml": "resources: []"},
			want:  []string{"spec.install.crds: no CustomResourceDefinition in them; they have: none"},
		},
		"kustomization of what is elsewhere": {
			files: map[string]string{"crd.yaml": "", "crd.yaml/kustomization.yaml": "resources: ['https://example.com/crd.yaml']"},
			want:  []string{"kustomization.yaml:1: resources[0]: names https://example.com/crd.yaml, and nothing is fetched here: put a copy beside it, or give"},
		},
		"kustomization of what is missing": {
			files: map[string]string{"crd.yaml": "", "crd.yaml/kustomization.yaml": "resources: [crd.yml]"},
			want:  []string{"kustomization.yaml:1: resources[0]: names crd.yml, which does not exist"},
		},
		"kustomization of itself": {
			files: map[string]string{"crd.yaml": "", "crd.yaml/kustomization.yaml": "resources: ['.']"},
			want:  []string{"kustomizations refer to each other in a circle"},
		},
		"nothing there": {
			files: map[string]string{"crd.yaml": "", "rbac.yaml": "", "site": ""},
			want: []string{
				"mine.yaml:16: spec.install.crds[0]: no such file: ", "mine.yaml:17: spec.install.rbac[0]: no such file: ",
				"mine.yaml:19: spec.launch.command[0]: no program ",
			},
		},
		"no CRD":                {files: map[string]string{"crd.yaml": roles}, want: []string{"mine.yaml:16: spec.install.crds: no CustomResourceDefinition in them; they have: rbac.authorization.k8s.io/v1 ClusterRole, v1 ServiceAccount, rbac.authorization.k8s.io/v1 Role"}},
		"a CRD twice, the same": {files: map[string]string{"crd.yaml": crd + "---\n" + crd}},
		"a CRD twice, not the same": {
			files: map[string]string{"crd.yaml": crd + "---\n" + strings.Replace(crd, "size: {type", "count: {type", 1)},
			want:  []string{"mine.yaml:16: spec.install.crds[0]: CustomResourceDefinition sites.example.com is there twice ("},
		},
		"one bundle": {files: map[string]string{"crd.yaml": roles + "---\n" + crd, "rbac.yaml": roles + "---\n" + crd}},
		"an old CRD": {files: map[string]string{"crd.yaml": strings.Replace(crd, "k8s.io/v1", "k8s.io/v1beta1", 1)}, want: []string{"mine.yaml:16: spec.install.crds[0]: CustomResourceDefinition sites.example.com is of apiextensions.k8s.io/v1beta1, which"}},
		"a value that is not a text": {
			files: map[string]string{"rbac.yaml": strings.Replace(roles, "metadata: {name: election}", "metadata:\n  name: election\n  labels: {managed: yes}", 1)},
			want:  []string{`rbac.yaml:16: Role election: metadata.labels.managed: is yes, which YAML takes for true, a boolean; it must be a string: write "yes", with quotes`},
		},
		"values for nothing": {
			files: map[string]string{"mine.yaml": strings.Replace(minimal, "rbac: [rbac.yaml]", "rbac: [rbac.yaml]\n    values: [values.yaml]", 1)},
			want:  []string{"mine.yaml:18: spec.install.values: values are for a Helm chart, and none is named"},
		},
		"no object":        {files: map[string]string{"crd.yaml": "a: b"}, want: []string{"not a Kubernetes object: apiVersion and kind are required"}},
		"no role":          {files: map[string]string{"rbac.yaml": crd}, want: []string{"mine.yaml:17: spec.install.rbac: no ClusterRole and no Role"}},
		"another resource": {files: map[string]string{"crd.yaml": strings.ReplaceAll(crd, "sites", "pages")}, want: []string{"mine.yaml:8: spec.contract.resource: install.crds do not define sites.example.com; they define: pages.example.com"}},
		"another kind":     {files: map[string]string{"crd.yaml": strings.ReplaceAll(crd, "kind: Site", "kind: Page")}, want: []string{"spec.contract.resource.kind: Site; the CRD says Page"}},
		"another version":  {files: map[string]string{"crd.yaml": strings.ReplaceAll(crd, "name: v1", "name: v2")}, want: []string{"spec.contract.resource.version: v1 is not served by the CRD; served: v2"}},
		"another scope":    {files: map[string]string{"crd.yaml": strings.ReplaceAll(crd, "Namespaced", "Cluster")}, want: []string{"spec.contract.resource.scope: Namespaced; the CRD says Cluster"}},
		"folders not there": {
			files: map[string]string{"mine.yaml": minimal + "    directory: work\n    readable: [., venv]\n"},
			want:  []string{"mine.yaml:20: spec.launch.directory: no such folder: ", "mine.yaml:21: spec.launch.readable[1]: no such folder: "},
		},
		"several accounts": {
			files: map[string]string{"rbac.yaml": roles + bind("ClusterRoleBinding", "a", "ClusterRole", "site", "one") + bind("ClusterRoleBinding", "b", "ClusterRole", "site", "two")},
			want:  []string{"mine.yaml:15: spec.install.serviceAccount: the bindings are for several ServiceAccounts: name one of site-system/one, site-system/two"},
		},
		"converted by a webhook": {
			files: map[string]string{"crd.yaml": strings.NewReplacer("storage: true", "storage: false", "  scope:", "  conversion: {strategy: Webhook}\n  scope:").Replace(crd)},
			want:  []string{"mine.yaml:8: spec.contract.resource.version: v1 is converted by a webhook, and scenarios also write while"},
		},
		"converted by a replica": {
			files: map[string]string{
				"mine.yaml": converting,
				"crd.yaml":  strings.NewReplacer("storage: true", "storage: false", "  versions:", "  versions:\n  - {name: v2, served: true, storage: true}").Replace(crd),
			},
			want: []string{"mine.yaml:8: spec.contract.resource.version: v1 is converted by a webhook, and scenarios also write while"},
		},
		"nothing to convert": {
			files: map[string]string{"mine.yaml": converting},
			want:  []string{"spec.launch.webhook.conversion: there is nothing to convert: CustomResourceDefinition sites.example.com has one version"},
		},
		"webhook that nothing serves": {
			files: map[string]string{"mine.yaml": strings.Replace(minimal, "rbac: [rbac.yaml]", "rbac: [rbac.yaml]\n    setup: [hooks.yaml]", 1), "hooks.yaml": hooks},
			want: []string{
				"mine.yaml:18: spec.install.setup: ValidatingWebhookConfiguration validating names a Service, which nothing serves here",
				"mine.yaml:18: spec.install.setup: MutatingWebhookConfiguration mutating names a Service, which nothing serves here",
			},
		},
		"path not in the CRD": {
			files: map[string]string{"crd.yaml": strings.ReplaceAll(crd, "size:", "sizes:")},
			want:  []string{`mine.yaml:11: spec.contract.spec.replicas.path: the CRD has no spec.size (did you mean "sizes"?); it has, in spec: image, sizes`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"mine.yaml": minimal, "crd.yaml": crd, "rbac.yaml": roles, "site": "#!/bin/true"}
			maps.Copy(files, tc.files)
			maps.DeleteFunc(files, func(_, text string) bool { return text == "" })
			err := inDir(t, files).CheckFiles()
			if len(tc.want) == 0 && err != nil {
				t.Fatal(err)
			}
			for _, want := range tc.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("missing %q in\n%v", want, err)
				}
			}
			if err != nil && len(strings.Split(err.Error(), "\n")) != len(tc.want) {
				t.Errorf("want %d problems, got\n%v", len(tc.want), err)
			}
		})
	}
}

func TestReferenceFiles(t *testing.T) {
	p, err := Resolve("reference")
	if err != nil {
		t.Fatal(err)
	}
	crds, err := p.CRDs()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.checkResource(crds).Err(); err != nil {
		t.Error(err)
	}
	if _, err := p.Grants(); err != nil {
		t.Error(err)
	}
}

func TestCommand(t *testing.T) {
	text := edit(t, minimal, "[./site]", `[./site, "--ns={{ .namespace }}", "--watch={{ .served }}", "--at=127.0.0.1:{{ .ports.web }}", "--kubeconfig={{ .kubeconfig }}"]
    ports: [web]
    env: {PORT: "{{ .ports.web }}"}
    leaderElection: {enabled: [--elect], disabled: ["--elect=false"], lease: {name: site}}
    namespaced: {args: ["--only={{ .served }}"], env: {WATCH: "{{ .served }}"}}`)
	p := inDir(t, map[string]string{"mine.yaml": text, "site": "#!/bin/true"})
	for election, last := range map[bool]string{true: "--elect", false: "--elect=false"} {
		replica := Replica{Home: "ns-home", Served: []string{"ns", "ns-b"}, Ports: map[string]int{"web": 8080}, Kubeconfig: "/run/config", LeaderElection: election}
		got, err := p.Command(replica)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{filepath.Join(p.Dir, "site"), "--ns=ns-home", "--watch=ns,ns-b", "--at=127.0.0.1:8080", "--kubeconfig=/run/config", last}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		env, err := p.Env(replica)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]string{"PORT": "8080"}, env); diff != "" {
			t.Error(diff)
		}
	}
	some := Replica{Served: []string{"ns"}, Ports: map[string]int{"web": 8080}, Namespaced: true}
	if got, err := p.Command(some); err != nil || got[len(got)-1] != "--only=ns" {
		t.Errorf("command for one namespace: %v, %v", got, err)
	}
	if got, err := p.Env(some); err != nil || got["WATCH"] != "ns" {
		t.Errorf("environment for one namespace: %v, %v", got, err)
	}
	if _, err := p.Command(Replica{}); err == nil {
		t.Error("no error for a port that was not found")
	}
}

func TestHome(t *testing.T) {
	for name, tc := range map[string]struct {
		install, lease string
		home, where    string // of the Lease
	}{
		"of its own":         {home: "ns-home", where: "ns-home"},
		"the one served":     {install: "\n    inServedNamespace: true", home: "ns", where: "ns"},
		"its Lease is fixed": {lease: ", namespace: locks", home: "ns-home", where: "locks"},
	} {
		t.Run(name, func(t *testing.T) {
			text := edit(t, minimal, "rbac.yaml]", "rbac.yaml]"+tc.install)
			text = edit(t, text, "[./site]", "[./site]\n    serial: true\n    leaderElection: {lease: {name: site"+tc.lease+"}}")
			p := inDir(t, map[string]string{"mine.yaml": text, "site": "#!/bin/true"})
			if got := p.Home("ns"); got != tc.home {
				t.Errorf("home: %s, want %s", got, tc.home)
			}
			lease, ok := p.Lease("ns")
			if want := (v1alpha1.LeaseName{Name: "site", Namespace: tc.where}); !ok || lease != want {
				t.Errorf("lease: %v, want %v", lease, want)
			}
		})
	}
}

func TestChildNames(t *testing.T) {
	p, err := Resolve("sample-controller")
	if err != nil {
		t.Fatal(err)
	}
	base, err := p.Base("demo")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"deploymentName": "demo-foo"}, base); diff != "" {
		t.Error(diff)
	}
	deployment, service, err := p.ChildNames("demo", base)
	if err != nil || deployment != "demo-foo" || service != "" {
		t.Errorf("got %q, %q, %v", deployment, service, err)
	}
	if _, _, err := p.ChildNames("demo", nil); err == nil {
		t.Error("no error for a name from a field that is missing")
	}
}

func TestEditorSchemaIsFresh(t *testing.T) {
	want, err := EditorSchema()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(builtin + "profile.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("stale: run go run ./cmd/editorschema fixtures/profiles/profile.schema.json\n%s", diff)
	}
}

// TestRefusedManifests: what the API server would refuse is told with the file and the line, what
// is there, and what is due.
func TestRefusedManifests(t *testing.T) {
	for name, tc := range map[string]struct {
		file, old, text string
		want            string
	}{
		"a wrong name":                    {"crd.yaml", "sites.example.com", "site.example.com", `crd.yaml:3: CustomResourceDefinition site.example.com: metadata.name: is "site.example.com": it must be sites.example.com, which is spec.names.plural and spec.group`},
		"no schema":                       {"crd.yaml", crd[strings.Index(crd, "    schema:"):], "", `crd.yaml:9: CustomResourceDefinition sites.example.com: spec.versions[0].schema.openAPIV3Schema: is required`},
		"no type":                         {"crd.yaml", "spec:\n            type: object\n            properties", "spec:\n            properties", `crd.yaml:16: CustomResourceDefinition sites.example.com: spec.versions[0].schema.openAPIV3Schema.properties.spec.type: is required: must not be empty for specified object fields`},
		"a conversion without an address": {"crd.yaml", "scope: Namespaced", "scope: Namespaced\n  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1]}}", `crd.yaml:8: CustomResourceDefinition sites.example.com: spec.conversion.webhook.clientConfig: is required: required when strategy is set to Webhook`},
		"no version is stored":            {"crd.yaml", "storage: true", "storage: false", `spec.versions: must have exactly one version marked as storage version`},
		"no API group":                    {"rbac.yaml", "apiGroups: [apps], ", "", `rbac.yaml:7: ClusterRole site: rules[0].apiGroups: is required: a rule has at least one of them, such as apps, or "" for the core group`},
		"no resources":                    {"rbac.yaml", "resources: [deployments], ", "", `rbac.yaml:7: ClusterRole site: rules[0].resources: is required: a rule has at least one of them, such as deployments`},
		"no verbs":                        {"rbac.yaml", "verbs: [create]", "verbs: []", `rbac.yaml:7: ClusterRole site: rules[0].verbs: is required: a rule has at least one of them, such as get`},
		"URLs in a Role":                  {"rbac.yaml", "rules: []", "rules: [{nonResourceURLs: [/metrics], verbs: [get]}]", `rbac.yaml:15: Role election: rules[0].nonResourceURLs: Forbidden: a Role is about a namespace, and URLs are in none: write a ClusterRole`},
		"URLs beside resources":           {"rbac.yaml", "{apiGroups: [apps]", "{nonResourceURLs: [/metrics], apiGroups: [apps]", `rbac.yaml:7: ClusterRole site: rules[0].nonResourceURLs: Forbidden: a rule is about URLs or about resources, and not about both: write two rules`},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"mine.yaml": minimal, "crd.yaml": crd, "rbac.yaml": roles, "site": "#!/bin/sh\n"}
			if !strings.Contains(files[tc.file], tc.old) {
				t.Fatalf("%s has no %q", tc.file, tc.old)
			}
			files[tc.file] = strings.Replace(files[tc.file], tc.old, tc.text, 1)
			err := inDir(t, files).CheckFiles()
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Count(err.Error(), "\n") > 0 {
				t.Errorf("%v, want one line with %s", err, tc.want)
			}
		})
	}
}

// TestSetupPlace: a setup object is found again in its file, also in a namespace that it got later.
func TestSetupPlace(t *testing.T) {
	const setup = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one, namespace: there}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: two}\n"
	p := inDir(t, map[string]string{
		"mine.yaml": strings.Replace(minimal, "    rbac: [rbac.yaml]", "    rbac: [rbac.yaml]\n    setup: [setup.yaml]", 1),
		"crd.yaml":  crd, "rbac.yaml": roles, "setup.yaml": setup, "site": "#!/bin/sh\n",
	})
	objects, err := p.SetupObjects()
	if err != nil || len(objects) != 2 {
		t.Fatalf("%d objects, %v", len(objects), err)
	}
	objects[1].SetNamespace("served")
	for n, want := range []string{"setup.yaml:1", "setup.yaml:5"} {
		if got := p.SetupPlace(objects[n]); !strings.HasSuffix(got, want) {
			t.Errorf("%s is at %q, want %s", objects[n].GetName(), got, want)
		}
	}
	objects[0].SetNamespace("elsewhere")
	if got := p.SetupPlace(objects[0]); got != "" {
		t.Errorf("an object of another namespace is at %q", got)
	}
}
