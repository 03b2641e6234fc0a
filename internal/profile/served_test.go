package profile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// contractless is a profile without a contract. It has the required fields, and each field
// about what the controller serves.
const contractless = `apiVersion: reconform.dev/v1alpha1
kind: Profile
metadata:
  name: mine
spec:
  implementation: {name: mine}
  serves:
  - resource: {group: example.com, version: v1, kind: Site, plural: sites}
    sample:
      metadata: {name: any, namespace: other, labels: {site: "{{ .name }}"}, uid: x}
      spec: {host: "{{ .name }}.example.com", size: 1, list: [a, b]}
      data: {mode: x}
    beside:
    - {apiVersion: v1, kind: Secret, metadata: {name: "{{ .name }}-key"}}
    edits:
    - {name: size, patch: {spec: {size: 2}}}
    - {name: list, patch: {spec: {list: [c], host: null, more: {x: 1}}}}
  claims: {times: {longestRetryPause: 30s}}
  install:
    crds: [crd.yaml]
    rbac: [rbac.yaml]
  launch:
    command: [./site]
`

func TestServed(t *testing.T) {
	p, err := Parse("mine.yaml", []byte(contractless))
	if err != nil {
		t.Fatal(err)
	}
	served, err := p.Served()
	if err != nil || len(served) != 1 {
		t.Fatal(served, err)
	}
	object, err := served[0].Object("demo")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"apiVersion": "example.com/v1", "kind": "Site",
		"metadata": map[string]any{"name": "demo", "labels": map[string]any{"site": "demo"}},
		"spec":     map[string]any{"host": "demo.example.com", "size": int64(1), "list": []any{"a", "b"}},
		"data":     map[string]any{"mode": "x"},
	}
	if diff := cmp.Diff(want, object.Object); diff != "" {
		t.Error(diff)
	}
	beside, err := served[0].Beside("demo")
	if err != nil {
		t.Fatal(err)
	}
	wantBeside := []*unstructured.Unstructured{{Object: map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "demo-key"}}}}
	if diff := cmp.Diff(wantBeside, beside); diff != "" || !served[0].BesideEach() {
		t.Error(diff, served[0].BesideEach())
	}
	edits, err := served[0].Edits("demo")
	if err != nil {
		t.Fatal(err)
	}
	wantEdits := []Edit{
		{Name: "size", Patch: map[string]any{"spec": map[string]any{"size": int64(2)}}, Undo: map[string]any{"spec": map[string]any{"size": int64(1)}}},
		{
			Name:  "list",
			Patch: map[string]any{"spec": map[string]any{"list": []any{"c"}, "host": nil, "more": map[string]any{"x": int64(1)}}},
			Undo:  map[string]any{"spec": map[string]any{"list": []any{"a", "b"}, "host": "demo.example.com", "more": nil}},
		},
	}
	if diff := cmp.Diff(wantEdits, edits); diff != "" {
		t.Error(diff)
	}
	base, err := p.Base("demo")
	if diff := cmp.Diff(want["spec"], any(base)); diff != "" || err != nil {
		t.Error(diff, err)
	}
	root, err := p.Root("demo")
	wantRoot := map[string]any{"data": want["data"], "metadata": map[string]any{"labels": map[string]any{"site": "demo"}}}
	if diff := cmp.Diff(wantRoot, root); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestServedByContract(t *testing.T) {
	for name, tc := range map[string]struct {
		profile string
		spec    map[string]any
		edits   []Edit
	}{
		"reference": {
			"reference",
			map[string]any{
				"image": "registry.example/demo:v1", "replicas": int64(2), "port": int64(8080), "configMapRef": map[string]any{"name": "demo-config"},
			},
			[]Edit{
				{"image", spec("image", "registry.example/demo:v2"), spec("image", "registry.example/demo:v1")},
				{"replicas", spec("replicas", int64(3)), spec("replicas", int64(2))},
				{"port", spec("port", int64(8081)), spec("port", int64(8080))},
				{"env", spec("env", map[string]any{"GREETING": "hello"}), spec("env", nil)},
				{"configMapRef", spec("configMapRef", nil), spec("configMapRef", map[string]any{"name": "demo-config"})},
			},
		},
		"a number in a text, and a base": {
			"backup",
			map[string]any{"schedule": "2 0 1 1 *", "source": "demo.example.com", "destination": "s3://backups/demo", "retentionPolicy": "2y"},
			[]Edit{{"replicas", spec("schedule", "3 0 1 1 *"), spec("schedule", "2 0 1 1 *")}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := Resolve(tc.profile)
			if err != nil {
				t.Fatal(err)
			}
			served, err := p.Served()
			if err != nil {
				t.Fatal(err)
			}
			object, err := served[0].Object("demo")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.spec, object.Object["spec"]); diff != "" {
				t.Error(diff)
			}
			edits, err := served[0].Edits("demo")
			if diff := cmp.Diff(tc.edits, edits); diff != "" || err != nil {
				t.Error(diff, err)
			}
		})
	}
}

func spec(field string, value any) map[string]any {
	return map[string]any{"spec": map[string]any{field: value}}
}

// Every profile says what its controller serves: an object, and changes of it that change
// something.
func TestBuiltinProfilesServe(t *testing.T) {
	names, err := builtinNames(builtin)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		p, err := Resolve(name)
		if err != nil {
			t.Fatal(err)
		}
		served, err := p.Served()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range served {
			object, err := s.Object("demo")
			if err != nil {
				t.Fatal(err)
			}
			if _, ok := object.Object["spec"].(map[string]any); !ok {
				t.Errorf("%s: no spec in %v", name, object)
			}
			edits, err := s.Edits("demo")
			if err != nil || len(edits) == 0 {
				t.Errorf("%s: no edits: %v", name, err)
			}
			for _, edit := range edits {
				edited := Merged(object.Object, edit.Patch)
				if cmp.Equal(object.Object, edited) {
					t.Errorf("%s: edit %s changes nothing", name, edit.Name)
				}
				if diff := cmp.Diff(object.Object, Merged(edited, edit.Undo)); diff != "" {
					t.Errorf("%s: edit %s is not undone: %s", name, edit.Name, diff)
				}
			}
		}
	}
}

// TestServedNamespaces: the labels of the namespaces that the controller serves count as those of a
// contract do.
func TestServedNamespaces(t *testing.T) {
	p, err := Parse("mine.yaml", []byte(strings.Replace(contractless, "    sample:\n", "    namespaceLabels: {sites: enabled}\n    sample:\n", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"sites": "enabled"}, p.Spec.Contract.NamespaceLabels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
}

func TestServesProblems(t *testing.T) {
	const contract = "  serves:\n"
	for name, tc := range map[string]struct {
		edits []string
		want  []string
	}{
		"neither": {[]string{contractless[strings.Index(contractless, "  serves:"):strings.Index(contractless, "  claims:")], ""}, []string{"mine.yaml:5: spec: give either contract"}},
		"both":    {[]string{contract, "  contract:\n    resource: {group: a.b, version: v1, kind: A, plural: as}\n    spec: {}\n    children: {deployment: {}}\n" + contract}, []string{"spec: give either contract", "spec.claims.cleanup: is required", "spec.claims.unowned: is required"}},
		"none":    {[]string{contractless[strings.Index(contractless, "  - resource:"):strings.Index(contractless, "  claims:")], "", "serves:", "serves: []"}, []string{"mine.yaml:7: spec.serves: "}},
		"unknown": {[]string{"plural: sites}", "plurals: sites}"}, []string{`spec.serves[0].resource.plurals: unknown field "plurals" (did you mean "plural"?)`}},
		"cluster, converted": {
			[]string{"plural: sites", "plural: sites, scope: Cluster", "command: [./site]", "command: [./site]\n    ports: [w]\n    webhook: {port: w, conversion: /convert}"},
			[]string{"spec.launch.webhook.conversion: Site has no namespace, and the bench finds the replica that converts an object by its namespace"},
		},
		"namespace": {[]string{`host: "{{ .name }}`, `host: "{{ .namespace }}`}, []string{`mine.yaml:11: spec.serves[0].sample.spec.host: unknown key {{ .namespace }}`}},
		"group":     {[]string{"group: example.com", "group: Example"}, []string{`mine.yaml:8: spec.serves[0].resource.group: "Example": `}},
		"template":  {[]string{`host: "{{ .name }}`, `host: "{{ .nme }}`}, []string{`mine.yaml:11: spec.serves[0].sample.spec.host: unknown key {{ .nme }} (did you mean ".name"?)`}},
		"kind": {
			[]string{"sample:\n", "sample:\n      kind: Sitee\n      apiVersion: example.com/v2\n"},
			[]string{"spec.serves[0].sample: its apiVersion is example.com/v2; the resource says example.com/v1", "spec.serves[0].sample: its kind is Sitee; the resource says Site"},
		},
		"label":           {[]string{`site: "{{ .name }}"`, `site: "a b"`}, []string{"mine.yaml:9: spec.serves[0].sample: its metadata.labels: a b: "}},
		"label number":    {[]string{`site: "{{ .name }}"`, `site: 1`}, []string{"its metadata.labels.site is not a text"}},
		"beside":          {[]string{"kind: Secret, metadata: {name:", "metadata: {namespace: x, nam:"}, []string{"mine.yaml:14: spec.serves[0].beside[0]: has no kind", "has no metadata.name", "has a namespace"}},
		"same":            {[]string{"size: 2", "size: 1"}, []string{"mine.yaml:16: spec.serves[0].edits[0].patch: changes nothing: the sample has these values already"}},
		"status":          {[]string{"patch: {spec: {size: 2}}", "patch: {status: {}, metadata: {finalizers: [a]}}"}, []string{"changes status", "changes metadata.finalizers"}},
		"twice":           {[]string{"name: list", "name: size"}, []string{`mine.yaml:17: spec.serves[0].edits[1]: Duplicate value: `}},
		"both samples":    {[]string{"sample:\n", "sampleFile: x.yaml\n    sample:\n"}, []string{"mine.yaml:8: spec.serves[0]: give either sample or sampleFile"}},
		"no file":         {[]string{contractless[strings.Index(contractless, "sample:"):strings.Index(contractless, "beside:")], "sampleFile: nowhere.yaml\n    "}, []string{"mine.yaml:9: spec.serves[0].sampleFile: no such file: "}},
		"namespace label": {[]string{"    sample:\n", "    namespaceLabels: {sites: a b}\n    sample:\n"}, []string{"mine.yaml:9: spec.serves[0].namespaceLabels: a b: "}},
		"feature":         {[]string{"claims: {", "claims: {features: [service, quiet], "}, []string{"spec.claims.features[0]: service is claimed, which needs a contract (contract.children.service)"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("mine.yaml", []byte(edit(t, contractless, tc.edits...)))
			if err == nil {
				t.Fatal("no problem")
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("no %q in\n%v", want, err)
				}
			}
		})
	}
}

func TestSampleFile(t *testing.T) {
	const site = "apiVersion: example.com/v1\nkind: Site\nmetadata: {name: one, namespace: x}\nspec: {size: 1, host: \"{{ x }}\"}\n"
	from, to := strings.Index(contractless, "sample:"), strings.Index(contractless, "edits:")
	text := edit(t, contractless, contractless[from:to], "sampleFile: sample.yaml\n    ")
	for name, tc := range map[string]struct {
		file, problem string
		beside        int
	}{
		"one":           {site, "", 0},
		"with a Secret": {"apiVersion: v1\nkind: Secret\nmetadata: {name: key, namespace: x}\n---\n" + site, "", 1},
		"in a List":     {"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: key}\n- " + strings.ReplaceAll(strings.TrimSpace(site), "\n", "\n  ") + "\n", "", 1},
		"two":           {site + "---\n" + strings.Replace(site, "one", "two", 1), "has 2 objects of the kind Site (one, two)", 0},
		"none":          {"apiVersion: v1\nkind: Secret\nmetadata: {name: key}\n", "has no Site of the group example.com; it has: Secret", 0},
		"of another":    {strings.Replace(site, "v1", "v2", 1), "its apiVersion is example.com/v2; the resource says example.com/v1", 0},
		"no YAML":       {"a: b: c", "sample.yaml:1: ", 0},
		"with a definition": {
			"apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: sites.example.com}\n---\n" + site,
			"has CustomResourceDefinition sites.example.com, so it installs the controller: put the sample, and what it needs, into a file of its own", 0,
		},
		"with a Secret without a name": {"apiVersion: v1\nkind: Secret\nmetadata: {generateName: key-}\n---\n" + site, "has a Secret without metadata.name: give it one, as it is created before the sample", 0},
		"spec is not an object":        {strings.Replace(site, "spec: {size: 1, host: \"{{ x }}\"}", "spec: 1", 1), "its spec is not an object", 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "sample.yaml"), []byte(tc.file), 0o600); err != nil {
				t.Fatal(err)
			}
			p, err := Parse(filepath.Join(dir, "mine.yaml"), []byte(text))
			if tc.problem != "" {
				if err == nil || !strings.Contains(err.Error(), "spec.serves[0].sampleFile: ") || !strings.Contains(err.Error(), tc.problem) {
					t.Errorf("got %v, want %q", err, tc.problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			served, err := p.Served()
			if err != nil {
				t.Fatal(err)
			}
			object, err := served[0].Object("demo")
			want := map[string]any{"size": int64(1), "host": "{{ x }}"}
			if diff := cmp.Diff(want, object.Object["spec"]); diff != "" || err != nil {
				t.Error(diff, err)
			}
			beside, err := served[0].Beside("demo")
			if err != nil || len(beside) != tc.beside || len(beside) == 1 && beside[0].GetNamespace() != "" {
				t.Error(beside, err)
			}
		})
	}
}

func TestServedResourcesAreDefined(t *testing.T) {
	p, err := Resolve("backup-any")
	if err != nil {
		t.Fatal(err)
	}
	crds, err := p.CRDs()
	if err != nil {
		t.Fatal(err)
	}
	if problems := p.checkServedResources(crds); len(problems) > 0 {
		t.Fatal(problems)
	}
	p.served[0].edits[0].object = Merged(p.served[0].object, spec("shedule", "x"))
	p.Spec.Serves = append(p.Spec.Serves, p.Spec.Serves[0])
	p.Spec.Serves[1].Resource.Plural = "restores"
	p.served = append(p.served, p.served[0])
	got := p.checkServedResources(crds).Error()
	for _, want := range []string{
		`spec.serves[0].edits[0].patch: the CRD has no spec.shedule (did you mean "schedule"?)`,
		"spec.serves[1].resource: install.crds do not define restores.backup.example.com; they define: backups.backup.example.com",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
