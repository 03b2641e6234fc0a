package manifest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// inDir writes files into a folder.
func inDir(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: keeper}\nrules: [{apiGroups: [''], resources: [pods], verbs: [get]}]\n"
	note = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: note}\ndata: {a: b}\n"
)

func TestRead(t *testing.T) {
	chart := map[string]string{
		"c/Chart.yaml":  "apiVersion: v2\nname: keeper\nversion: 0.1.0\n",
		"c/values.yaml": "roles: true\nverbs: [get]\nprefix: a\n",
		"c/templates/role.yaml": "{{- if .Values.roles }}\n{{ .Files.Get \"role.txt\" }}\nmetadata: {name: '{{ .Values.prefix }}-{{ .Release.Name }}'}\n" +
			"rules: [{apiGroups: [''], resources: [pods], verbs: {{ toJson .Values.verbs }}}]\n{{- end }}\n",
		"c/role.txt":             "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole",
		"c/templates/_parts.tpl": `{{ define "x" }}y{{ end }}`, "c/templates/NOTES.txt": "Thank you: {{ .Release.Name }}",
		"c/templates/tests/try.yaml": strings.Replace(note, "name: note", "name: try, annotations: {helm.sh/hook: test}", 1),
		"c/crds/crd.yaml":            strings.Replace(note, "note", "in-crds", 1),
		"more.yaml":                  "prefix: b\n",
	}
	with := func(more map[string]string) map[string]string {
		all := map[string]string{}
		for _, files := range []map[string]string{chart, more} {
			for name, text := range files {
				all[name] = text
			}
		}
		return all
	}
	for name, tc := range map[string]struct {
		files  map[string]string
		path   string
		values []string
		want   string // kinds and names, or the error
	}{
		"several documents": {map[string]string{"f.yaml": "\ufeff# first\n---\n" + role + "--- # second\n" + note + "---\n"}, "f.yaml", nil, "ClusterRole keeper, ConfigMap note"},
		"lines of Windows":  {map[string]string{"f.yaml": strings.ReplaceAll(role+"---\n"+note, "\n", "\r\n")}, "f.yaml", nil, "ClusterRole keeper, ConfigMap note"},
		"ends of documents": {map[string]string{"f.yaml": role + "...\n# more\n\n---\n" + note + "... # the end\n"}, "f.yaml", nil, "ClusterRole keeper, ConfigMap note"},
		"points that end nothing": {
			map[string]string{"f.yaml": strings.Replace(note, "{a: b}", "\n  a: |\n    ...\n    b\n", 1)}, "f.yaml", nil, "ConfigMap note",
		},
		"a document after the end of one": {
			map[string]string{"f.yaml": role + "...\n# more\n" + note},
			"f.yaml", nil,
			"DIR/f.yaml:7: this comes after the end of a document (...), and kubectl would leave it out: write --- before it, or remove it",
		},
		"one in a later document": {
			map[string]string{"f.yaml": role + "---\n" + note + "...\r\n" + role + "---\n" + note},
			"f.yaml", nil,
			"DIR/f.yaml:11: this comes after the end of a document (...), and kubectl would leave it out: write --- before it, or remove it",
		},
		"a list": {
			map[string]string{"f.yaml": "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n"}, "f.yaml", nil, "ConfigMap a",
		},
		"objects of JSON": {
			map[string]string{"f.json": `{"apiVersion":"v1","kind":"A","metadata":{"name":"a"}}` + "\n" + `{"apiVersion":"v1","kind":"B","metadata":{"name":"b"}}`}, "f.json", nil, "A a, B b",
		},
		"a folder":                    {map[string]string{"a/f.yaml": role, "a/g.yml": note, "a/README.md": "{{", "a/below/h.yaml": "x"}, "a", nil, "ClusterRole keeper, ConfigMap note"},
		"a folder of folders":         {map[string]string{"a/below/h.yaml": note}, "a", nil, "no manifests in folder DIR/a: expected files that end in .yaml, .yml or .json; it has a folder: give DIR/a/below"},
		"a folder of several folders": {map[string]string{"a/below/h.yaml": note, "a/other/h.yaml": note}, "a", nil, "no manifests in folder DIR/a: expected files that end in .yaml, .yml or .json; it has folders: name one of DIR/a/below, DIR/a/other"},
		"no YAML":                     {map[string]string{"f.yaml": "a: b\n---\na: [\n"}, "f.yaml", nil, "DIR/f.yaml:1: not a Kubernetes object: apiVersion and kind are required"},
		"no YAML, later":              {map[string]string{"f.yaml": note + "---\na: b\nc: [\n"}, "f.yaml", nil, "DIR/f.yaml:7: not YAML: did not find expected node content"},
		"a key twice":                 {map[string]string{"f.yaml": note + "kind: Secret\n"}, "f.yaml", nil, `DIR/f.yaml:5: key "kind" is given twice`},
		"two keys twice": {
			map[string]string{"f.yaml": note + "x: 1\nx: 2\nz: 3\nz: 4\n"}, "f.yaml", nil, `DIR/f.yaml:6: key "x" is given twice`,
		},
		"a key beside a merge": {
			map[string]string{"f.yaml": note + "x: &x {k: 1, z: 2}\nw:\n  <<: *x\n  k: 3\n"}, "f.yaml", nil, "ConfigMap note",
		},
		"a key twice beside a merge": {
			map[string]string{"f.yaml": note + "x: &x {k: 1, z: 2}\nw:\n  <<: *x\n  k: 3\n  k: 4\n"}, "f.yaml", nil, `DIR/f.yaml:9: key "k" is given twice`,
		},
		"files one behind the other": {
			map[string]string{"f.yaml": "\ufeff" + role + "\ufeff---\n" + note + "---\n\ufeff" + role}, "f.yaml", nil, "ClusterRole keeper, ConfigMap note, ClusterRole keeper",
		},
		"a tab":                        {map[string]string{"f.yaml": "kind: Note\nmetadata:\n\tname: a\n"}, "f.yaml", nil, "DIR/f.yaml:3: not YAML: found character that cannot start any token: indent with blanks, not with tabs, and put quotes around a value that begins with @, % or `"},
		"UTF-16, as PowerShell writes": {map[string]string{"f.yaml": utf16Of("\xff\xfe", role+"---\n"+note)}, "f.yaml", nil, "ClusterRole keeper, ConfigMap note"},
		"UTF-16, big end first":        {map[string]string{"f.json": utf16Of("\xfe\xff", `{"apiVersion":"v1","kind":"A","metadata":{"name":"ä"}}`)}, "f.json", nil, "A ä"},
		"lines of an old Mac":          {map[string]string{"f.yaml": strings.ReplaceAll(role+"---\n"+note, "\n", "\r")}, "f.yaml", nil, strange("1")},
		"a line separator":             {map[string]string{"f.yaml": note + "---\n" + role + "\u2028---\n" + note}, "f.yaml", nil, strange("10")},
		"a line separator in a text":   {map[string]string{"f.yaml": strings.Replace(note, "a: b", `a: "b\u2028c"`, 1) + "---\n" + role}, "f.yaml", nil, "ConfigMap note, ClusterRole keeper"},
		"a directive": {
			map[string]string{"f.yaml": "%YAML 1.1\n---\n" + role},
			"f.yaml", nil, "DIR/f.yaml:1: not YAML: did not find expected <document start>; kubectl does not read directives: remove each line that begins with %",
		},
		"not a number":         {map[string]string{"f.yaml": note + "x:\n  y: [1, .nan]\n"}, "f.yaml", nil, "DIR/f.yaml:6: not a number that JSON knows: put it in quotes, or write another one"},
		"an infinite number":   {map[string]string{"f.yaml": role + "---\n" + note + "x: -.inf\n"}, "f.yaml", nil, "DIR/f.yaml:10: not a number that JSON knows: put it in quotes, or write another one"},
		"halves of characters": {map[string]string{"f.json": `{"apiVersion":"v1","kind":"A","metadata":{"name":"\ud83d\ude00"}}`}, "f.json", nil, "A \U0001F600"},
		"a key twice in JSON": {
			map[string]string{"f.json": `{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"data":{"x":"1","x":"2"}}`},
			"f.json", nil, `DIR/f.json:1: key "data.x" is given twice`,
		},
		"a list without items":      {map[string]string{"f.yaml": "apiVersion: v1\nkind: List\nitems:\n---\n" + note}, "f.yaml", nil, "ConfigMap note"},
		"a list that is not a list": {map[string]string{"f.yaml": "apiVersion: v1\nkind: List\nitems: {a: b}\n"}, "f.yaml", nil, "DIR/f.yaml:3: List: items: is a mapping; it must be a list"},
		"a list of one kind":        {map[string]string{"f.yaml": "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleList\nitems:\n- metadata: {name: a}\n- metadata: {name: b}\n"}, "f.yaml", nil, "ClusterRole a, ClusterRole b"},
		"a kind that YAML changes":  {map[string]string{"f.yaml": strings.Replace(note, "ConfigMap", "no", 1)}, "f.yaml", nil, `DIR/f.yaml:2: kind: is no, which YAML takes for false, a boolean; it must be a string: write "no", with quotes`},
		"an invalid version":        {map[string]string{"f.yaml": strings.Replace(note, "v1", "1", 1)}, "f.yaml", nil, `DIR/f.yaml:1: apiVersion: is 1, a number; it must be a string: write "1", with quotes`},
		"a field in small letters":  {map[string]string{"f.yaml": strings.Replace(note, "apiVersion", "apiversion", 1)}, "f.yaml", nil, "DIR/f.yaml:1: not a Kubernetes object: apiVersion and kind are required; there is apiversion: write apiVersion"},
		"a file of another website": {nil, "https://example.com/f.yaml", nil, "https://example.com/f.yaml is not a file, and nothing is fetched here: download it, and name the file"},
		"a file, below a folder":    {nil, "DIR/https:/example.com/f.yaml", nil, "https://example.com/f.yaml is not a file, and nothing is fetched here: download it, and name the file"},
		"a chart of a registry":     {nil, "OCI://example.com/charts/web", nil, "OCI://example.com/charts/web is not a file, and nothing is fetched here: run helm pull OCI://example.com/charts/web, and name the archive"},
		"the standard input":        {map[string]string{"x": ""}, "-", nil, "no such file: DIR/- (the standard input is not read: name a file)"},
		"not an object":             {map[string]string{"f.yaml": "- a\n"}, "f.yaml", nil, "DIR/f.yaml:1: not a Kubernetes object: it is a list; expected: a mapping with apiVersion and kind"},
		"a label of a list's item": {
			map[string]string{"f.yaml": "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: a\n    annotations:\n      port: 8080\n"},
			"f.yaml", nil,
			`DIR/f.yaml:9: ConfigMap a: metadata.annotations.port: is 8080, a number; it must be a string: write "8080", with quotes`,
		},
		"a template of Helm": {
			map[string]string{"f.yaml": "{{- if .Values.rbac }}\n" + role + "{{- end }}\n"},
			"f.yaml", nil,
			"DIR/f.yaml:1: a template of Helm, and not a manifest: give its chart (the folder with Chart.yaml), or a file with the output of helm template",
		},
		"a template that is YAML": {
			map[string]string{"f.yaml": strings.Replace(note, "name: note", `name: "{{ .Release.Name }}-note"`, 1)},
			"f.yaml", nil,
			"DIR/f.yaml:3: a template of Helm, and not a manifest: give its chart (the folder with Chart.yaml), or a file with the output of helm template",
		},
		"another template": {
			map[string]string{"f.yaml": strings.Replace(note, "name: note", `name: "{{ name }}"`, 1)},
			"f.yaml", nil,
			"DIR/f.yaml:3: a template ({{ … }}), and not a manifest: give a file with its output",
		},
		"braces in a text": {map[string]string{"f.yaml": strings.Replace(note, "a: b", `a: "{{ .Values.x }} {{ $labels.y }}"`, 1)}, "f.yaml", nil, "ConfigMap note"},
		"a mistake beside braces in a text": {
			map[string]string{"f.yaml": strings.Replace(note, "a: b", `a: "{{ if .x }} {{ $labels.y }}"`, 1) + "more:\n  x: 1\n\ty: 2\n"},
			"f.yaml", nil, "DIR/f.yaml:7: not YAML: found a tab character that violates indentation: indent with blanks, not with tabs",
		},
		"a mistake before braces in lines of a text": {
			map[string]string{"f.yaml": note + "more: 'x'y\nrules: |\n  {{- range\n    $x }}\n  {{ end }}\n"},
			"f.yaml", nil, "DIR/f.yaml:4: not YAML: did not find expected key",
		},
		"braces in a text of something else": {
			map[string]string{"f.yaml": `groups: [{rules: [{annotations: {summary: "{{ $labels.x }} {{ end }}"}}]}]`},
			"f.yaml", nil, "DIR/f.yaml:1: not a Kubernetes object: apiVersion and kind are required",
		},
		"a template with a text of several lines": {
			map[string]string{"f.yaml": strings.Replace(note, "data: {a: b}", "data:\n  {{- range $key,\n      $value := .Values.data }}\n  {{ $key }}: {{ $value | quote }}\n  {{- end }}", 1)},
			"f.yaml", nil,
			"DIR/f.yaml:4: a template of Helm, and not a manifest: give its chart (the folder with Chart.yaml), or a file with the output of helm template",
		},
		"JSON between lines of dashes": {
			map[string]string{"f.json": `{"apiVersion":"v1","kind":"A","metadata":{"name":"\ud83d\ude00"}}` + "\n---\n" + `{"apiVersion":"v1","kind":"B","metadata":{"name":"b"}}`},
			"f.json", nil, "A \U0001F600, B b",
		},
		"JSON between lines of dashes, a key twice": {
			map[string]string{"f.json": note + "---\n" + `{"apiVersion":"v1","kind":"A","metadata":{"name":"a","name":"b"}}`},
			"f.json", nil, `DIR/f.json:6: key "metadata.name" is given twice`,
		},
		"a template in its chart": {
			chart, "c/templates/role.yaml", nil,
			"DIR/c/templates/role.yaml:1: a template of Helm, and not a manifest: give its chart (DIR/c), or a file with the output of helm template",
		},
		"a chart":             {chart, "c", nil, "ConfigMap in-crds, ClusterRole a-keeper"},
		"a chart by its file": {chart, "c/Chart.yaml", nil, "ConfigMap in-crds, ClusterRole a-keeper"},
		"templates of other names": {
			with(map[string]string{"c/templates/note": note, "c/templates/more.txt": strings.Replace(note, "note", "more", 1), "c/templates/a.yaml.gotmpl": strings.Replace(note, "note", "third", 1)}),
			"c", nil, "ConfigMap in-crds, ConfigMap third, ConfigMap more, ConfigMap note, ClusterRole a-keeper",
		},
		"a chart with values":     {chart, "c", []string{"more.yaml"}, "ConfigMap in-crds, ClusterRole b-keeper"},
		"values in a list":        {with(map[string]string{"v.yaml": "# mine\n- a\n"}), "c", []string{"v.yaml"}, "reading values: DIR/v.yaml:2: it is a list; expected: a mapping from the names of values to the values, as in replicas: 2"},
		"a word for values":       {with(map[string]string{"v.yaml": "prefix: a\n---\nb\n"}), "c", []string{"v.yaml"}, `reading values: DIR/v.yaml:3: it is "b", a string; expected: a mapping from the names of values to the values, as in replicas: 2`},
		"values that are no YAML": {with(map[string]string{"v.yaml": "prefix: a\nverbs: [\n"}), "c", []string{"v.yaml"}, "reading values: DIR/v.yaml:2: not YAML: "},
		"a chart that is a template": {
			with(map[string]string{"c/Chart.yaml": "apiVersion: v2\nname: keeper\nversion: {{ version }}\n"}), "c", nil,
			"reading the chart DIR/c: DIR/c/Chart.yaml:3: a template ({{ … }}), and not a manifest: give a file with its output",
		},
		"a chart whose values are a list": {
			with(map[string]string{"c/values.yaml": "- a\n"}), "c", nil,
			"reading the chart DIR/c: DIR/c/values.yaml:1: it is a list; expected: a mapping from the names of values to the values, as in replicas: 2",
		},
		"a chart whose values are ?": {chart, "c", []string{"none.yaml"}, "reading values DIR/none.yaml: no such file or directory"},
		"a chart that asks for a value": {
			with(map[string]string{"c/templates/role.yaml": `{{ required "roleName is needed" .Values.roleName }}`}), "c", nil,
			"filling in the chart DIR/c, as helm template does: ",
		},
		"a chart that lacks another": {
			with(map[string]string{"c/Chart.yaml": chart["c/Chart.yaml"] + "dependencies: [{name: base, version: 1.0.0, repository: 'https://example.com'}]\n"}), "c", nil,
			"the chart DIR/c depends on what is not in its folder charts, base: run helm dependency build, or give a file with the output of helm template",
		},
		"a chart with another that is off": {with(map[string]string{
			"c/Chart.yaml":             chart["c/Chart.yaml"] + "dependencies: [{name: base, version: 1.0.0, condition: base.enabled}]\n",
			"c/charts/base/Chart.yaml": "apiVersion: v2\nname: base\nversion: 1.0.0\n", "c/charts/base/templates/n.yaml": note, "more.yaml": "base: {enabled: false}",
		}), "c", []string{"more.yaml"}, "ConfigMap in-crds, ClusterRole a-keeper"},
		"a kustomization with labels and a prefix": {
			map[string]string{"k/kustomization.yaml": "resources: [role.yaml, ../base]\nnamePrefix: my-\nlabels: [{pairs: {managed: 'true'}, fields: [{path: spec/x, create: true}]}]", "k/role.yaml": role, "base/kustomization.yml": "resources: [note.yaml]", "base/note.yaml": note},
			"k", nil, "ClusterRole my-keeper, ConfigMap my-note",
		},
		"a kustomization by its file": {map[string]string{"k/kustomization.yaml": "resources: [role.yaml]", "k/role.yaml": role}, "k/kustomization.yaml", nil, "ClusterRole keeper"},
		"a component and a generator": {
			map[string]string{
				"k/kustomization.yaml": "components: [../c]\nconfigMapGenerator: [{name: made, files: [key=data.txt], options: {disableNameSuffixHash: true}}]", "k/data.txt": "x",
				"c/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [role.yaml]", "c/role.yaml": role,
			}, "k", nil, "ClusterRole keeper, ConfigMap made",
		},
		"wrong scalars in a kustomization": {
			map[string]string{"k/kustomization.yaml": "resources: [note.yaml]\ncommonLabels: {managed: true}\nlabels:\n- pairs: {a: 5, b: y}\nnamePrefix: 1\n", "k/note.yaml": note},
			"k", nil,
			"DIR/k/kustomization.yaml:2: commonLabels.managed: is true, a boolean; it must be a string: write \"true\", with quotes\n" +
				"DIR/k/kustomization.yaml:4: labels[0].pairs.a: is 5, a number; it must be a string: write \"5\", with quotes\n" +
				"DIR/k/kustomization.yaml:4: labels[0].pairs.b: is y, which YAML takes for true, a boolean; it must be a string: write \"y\", with quotes\n" +
				"DIR/k/kustomization.yaml:5: namePrefix: is 1, a number; it must be a string: write \"1\", with quotes",
		},
		"a word for a list in a kustomization": {
			map[string]string{"k/kustomization.yaml": "resources: note.yaml", "k/note.yaml": note},
			"k", nil, `DIR/k/kustomization.yaml:1: resources: is "note.yaml", a string; it must be a list: write [note.yaml]`,
		},
		"a key twice in a kustomization": {
			map[string]string{"k/kustomization.yaml": "resources: [note.yaml]\nresources: [role.yaml]", "k/note.yaml": note, "k/role.yaml": role},
			"k", nil, `DIR/k/kustomization.yaml:2: key "resources" is given twice`,
		},
		"a patch that is not there": {
			map[string]string{"k/kustomization.yaml": "resources: [role.yaml]\npatches:\n- path: p.yaml", "k/role.yaml": role},
			"k", nil,
			"DIR/k/kustomization.yaml:3: patches[0].path: names p.yaml, which does not exist",
		},
		"a pattern in a kustomization": {
			map[string]string{"k/kustomization.yaml": "resources: [rbac/*.yaml]", "k/rbac/role.yaml": role},
			"k", nil,
			"DIR/k/kustomization.yaml:1: resources[0]: names rbac/*.yaml, and kustomize takes no patterns: name each file",
		},
		"a patch of what is not there": {
			map[string]string{"k/kustomization.yaml": "resources: [role.yaml]\npatches: [{path: p.yaml}]", "k/role.yaml": role, "k/p.yaml": note},
			"k", nil,
			"building the kustomization DIR/k, as kustomize build does: ",
		},
		"a label in what it names": {
			map[string]string{"k/kustomization.yaml": "resources: [note.yaml]", "k/note.yaml": strings.Replace(note, "name: note", "name: note, labels: {managed: true}", 1)},
			"k", nil,
			`DIR/k/note.yaml:3: ConfigMap note: metadata.labels.managed: is true, a boolean; it must be a string: write "true", with quotes`,
		},
		"a base on GitHub": {
			map[string]string{"k/kustomization.yaml": "resources:\n- github.com/example/base?ref=v1"},
			"k", nil,
			"DIR/k/kustomization.yaml:2: resources[0]: names github.com/example/base?ref=v1, and nothing is fetched here: put a copy beside it, or give a file with the output of kustomize build",
		},
		"a base by ssh, two below": {
			map[string]string{"k/kustomization.yaml": "resources: [b]", "k/b/kustomization.yaml": "components: ['git@example.com:a/b.git']"},
			"k", nil,
			"DIR/k/b/kustomization.yaml:1: components[0]: names git@example.com:a/b.git, and nothing is fetched here: put a copy beside it, or give a file with the output of kustomize build",
		},
		"a base in capital letters that would be fetched": {
			map[string]string{"k/kustomization.yaml": "namePrefix: a-\nBases:\n- https://example.com/a.git"},
			"k", nil,
			"DIR/k/kustomization.yaml:3: Bases[0]: names https://example.com/a.git, and nothing is fetched here: put a copy beside it, or give a file with the output of kustomize build",
		},
		"a patch in capital letters that would be fetched": {
			map[string]string{"k/kustomization.yaml": "resources: [role.yaml]\npatches:\n- Path: https://example.com/p.yaml", "k/role.yaml": role},
			"k", nil,
			"DIR/k/kustomization.yaml:3: patches[0].Path: names https://example.com/p.yaml, and nothing is fetched here: put a copy beside it, or give a file with the output of kustomize build",
		},
		"a secret in capital letters that would be fetched": {
			map[string]string{"k/kustomization.yaml": "SecretGenerator:\n- name: s\n  Files: [k=https://example.com/s]"},
			"k", nil,
			"DIR/k/kustomization.yaml:3: SecretGenerator[0].Files[0]: names https://example.com/s, and nothing is fetched here: put a copy beside it, or give a file with the output of kustomize build",
		},
		"a transformer in capital letters that would fetch": {
			map[string]string{"k/kustomization.yaml": "resources: [role.yaml]\nTransformers: [t.yaml]", "k/role.yaml": role, "k/t.yaml": "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: t}\nPath: https://example.com/p.yaml"},
			"k", nil,
			"DIR/k/t.yaml names https://example.com/p.yaml, and nothing is fetched here: put a copy beside it",
		},
		"two kustomizations in one file": {
			map[string]string{"k/kustomization.yaml": "resources: [role.yaml]\n---\n# more\nnamePrefix: a-", "k/role.yaml": role},
			"k", nil,
			"DIR/k/kustomization.yaml:4: a second document, which kustomize would leave out: write all into one, or into a kustomization of its own",
		},
		"a list in place of a kustomization": {
			map[string]string{"k/kustomization.yaml": "---\n- role.yaml\n", "k/role.yaml": role},
			"k", nil,
			"DIR/k/kustomization.yaml:2: it is a list; expected: a mapping with the fields of a kustomization, such as resources",
		},
		"an order in a kustomization": {
			map[string]string{"k/kustomization.yaml": "resources: [note.yaml, role.yaml]\nsortOptions: {order: fifo}", "k/note.yaml": note, "k/role.yaml": role},
			"k", nil, "ConfigMap note, ClusterRole keeper",
		},
		"a transformer that would fetch": {
			map[string]string{"k/kustomization.yaml": "resources: [role.yaml]\ntransformers: [t.yaml]", "k/role.yaml": role, "k/t.yaml": "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: t}\npath: https://example.com/p.yaml"},
			"k", nil,
			"DIR/k/t.yaml names https://example.com/p.yaml, and nothing is fetched here: put a copy beside it",
		},
		"a generator in place that would fetch": {
			map[string]string{"k/kustomization.yaml": "generators:\n- |-\n  apiVersion: builtin\n  kind: ConfigMapGenerator\n  metadata: {name: g}\n  files: ['p=https://example.com/p.yaml']"},
			"k", nil,
			"DIR/k/kustomization.yaml names p=https://example.com/p.yaml, and nothing is fetched here: put a copy beside it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := inDir(t, tc.files)
			for i := range tc.values {
				tc.values[i] = filepath.Join(dir, tc.values[i])
			}
			path := filepath.Join(dir, tc.path)
			if strings.Contains(tc.path, "://") {
				path = tc.path
			}
			objects, err := Read(path, tc.values)
			var got []string
			for _, object := range objects {
				got = append(got, object.title())
			}
			if err != nil {
				got = []string{strings.ReplaceAll(err.Error(), dir, "DIR")}
			}
			text := strings.Join(got, ", ")
			if strings.HasSuffix(tc.want, ": ") { // what follows are others' words
				text = text[:min(len(text), len(tc.want))]
			}
			if diff := cmp.Diff(tc.want, text); diff != "" {
				t.Errorf("read (-want +got):\n%s\n%v", diff, err)
			}
		})
	}
}

// utf16Of returns a text in UTF-16, behind its byte order mark.
func utf16Of(mark, text string) string {
	out := []byte(mark)
	for _, unit := range utf16.Encode([]rune(text)) {
		if mark == "\xff\xfe" {
			out = binary.LittleEndian.AppendUint16(out, unit)
		} else {
			out = binary.BigEndian.AppendUint16(out, unit)
		}
	}
	return string(out)
}

// strange is the error about a document behind an unusual line break.
func strange(line string) string {
	return "DIR/f.yaml:" + line + ": this document begins after a line break that is not of Unix or Windows, and kubectl would leave it out: end each line with a line feed"
}

// TestTextsWithoutAValue: a label without a value has an empty one, and the labels
// after it are read.
func TestTextsWithoutAValue(t *testing.T) {
	dir := inDir(t, map[string]string{"f.yaml": "apiVersion: v1\nkind: A\nmetadata: {name: a, labels: {app: x, note: , more: ~}, annotations: {why: null}}\n"})
	objects, err := Read(filepath.Join(dir, "f.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []map[string]string{{"app": "x", "note": "", "more": ""}, {"why": ""}}
	if diff := cmp.Diff(want, []map[string]string{objects[0].GetLabels(), objects[0].GetAnnotations()}); diff != "" {
		t.Error(diff)
	}
}

// TestArchive: the archive of a chart is recognised by its content, whatever its name.
func TestArchive(t *testing.T) {
	var packed bytes.Buffer
	zipped := gzip.NewWriter(&packed)
	archive := tar.NewWriter(zipped)
	for name, text := range map[string]string{"c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 0.1.0\n", "c/templates/note.yaml": note} {
		if err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(archive.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"c.tgz", "c-0.1.0.tar.gz", "C.TGZ", "chart"} {
		dir := inDir(t, map[string]string{name: packed.String()})
		objects, err := Read(filepath.Join(dir, name), nil)
		if err != nil || len(objects) != 1 || objects[0].GetName() != "note" {
			t.Errorf("%s: %v, %v", name, objects, err)
		}
	}
}

// TestFiles: all files that a kustomization uses are named, and no others.
func TestFiles(t *testing.T) {
	dir := inDir(t, map[string]string{
		"k/kustomization.yaml": "resources: [../base]\npatches: [{path: p.yaml}]\nsecretGenerator: [{name: s, envs: [s.env]}]", "k/p.yaml": role, "k/s.env": "A=b", "k/other.yaml": "x",
		"base/kustomization.yaml": "resources: [role.yaml]", "base/role.yaml": role,
	})
	files, err := Files(filepath.Join(dir, "k"))
	if err != nil {
		t.Fatal(err)
	}
	want := "k/kustomization.yaml base/kustomization.yaml base/role.yaml k/p.yaml k/s.env"
	if got := strings.ReplaceAll(strings.Join(files, " "), dir+"/", ""); got != want {
		t.Errorf("files: %s, want %s", got, want)
	}
}

// TestPatchesChange: the patches of a kustomization are applied.
func TestPatchesChange(t *testing.T) {
	dir := inDir(t, map[string]string{
		"kustomization.yaml": "resources: [role.yaml]\npatches: [{target: {kind: ClusterRole}, patch: '[{\"op\": \"add\", \"path\": \"/rules/0/verbs/-\", \"value\": \"list\"}]'}]", "role.yaml": role,
	})
	objects, err := Read(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got rbacv1.ClusterRole
	if err := objects[0].Into(&got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"get", "list"}, got.Rules[0].Verbs); diff != "" {
		t.Error(diff)
	}
}

// TestNumbers: numbers are not rounded.
func TestNumbers(t *testing.T) {
	dir := inDir(t, map[string]string{"f.yaml": "apiVersion: a/v1\nkind: A\nmetadata: {name: a}\nspec: {large: 9007199254740993, small: 0.5, text: '1'}\n"})
	objects, err := Read(filepath.Join(dir, "f.yaml"), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"large": int64(9007199254740993), "small": 0.5, "text": "1"}
	if diff := cmp.Diff(want, objects[0].Unstructured.Object["spec"]); diff != "" {
		t.Error(diff)
	}
}

func TestInto(t *testing.T) {
	crd := "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a}\nspec:\n  versions:\n  - name: v1\n"
	for name, tc := range map[string]struct {
		target any
		text   string
		want   []string // of the file f.yaml
	}{
		"right": {&rbacv1.ClusterRole{}, role, nil},
		"a word for a list": {
			&rbacv1.ClusterRole{}, strings.Replace(role, "[get]", "get", 1),
			[]string{`4: ClusterRole keeper: rules[0].verbs: is "get", a string; it must be a list: write [get]`},
		},
		"several at once": {&rbacv1.ClusterRole{}, strings.NewReplacer("[get]", "[get, 5, null, yes]", "name: keeper", "name: keeper, generation: '1'").Replace(role), []string{
			`3: ClusterRole keeper: metadata.generation: is "1", a string; it must be a number: write it without quotes`,
			`4: ClusterRole keeper: rules[0].verbs[1]: is 5, a number; it must be a string: write "5", with quotes`,
			`4: ClusterRole keeper: rules[0].verbs[3]: is yes, which YAML takes for true, a boolean; it must be a string: write "yes", with quotes`,
		}},
		"an unknown field": {
			&rbacv1.ClusterRole{}, strings.Replace(role, "verbs", "verb", 1),
			[]string{"4: ClusterRole keeper: rules[0].verb: unknown field; allowed here: apiGroups, nonResourceURLs, resourceNames, resources, verbs"},
		},
		"a list for a mapping": {&rbacv1.ClusterRole{}, strings.Replace(role, "{name: keeper}", "{name: keeper, labels: [a]}", 1), nil},
		"no name":              {&rbacv1.ClusterRole{}, strings.Replace(role, "{name: keeper}", "{}", 1), []string{"3: ClusterRole: metadata.name: is required"}},
		"a text for a boolean": {
			&apiextensionsv1.CustomResourceDefinition{}, crd + "    served: 'true'\n",
			[]string{`7: CustomResourceDefinition a: spec.versions[0].served: is "true", a string; it must be true or false: write it without quotes`},
		},
		"a word for a number": {&rbacv1.ClusterRole{}, strings.Replace(role, "name: keeper", "name: keeper, generation: one", 1), []string{`3: ClusterRole keeper: metadata.generation: is "one", a string; it must be a number`}},
		"deep in a schema": {
			&apiextensionsv1.CustomResourceDefinition{}, crd + "    schema: {openAPIV3Schema: {properties: {a: {items: {maxLength: '4', default: 5}}}}}\n",
			[]string{`7: CustomResourceDefinition a: spec.versions[0].schema.openAPIV3Schema.properties.a.items.maxLength: is "4", a string; it must be a number: write it without quotes`},
		},
		"bounds that are no numbers": {
			&apiextensionsv1.CustomResourceDefinition{},
			crd + "    schema: {openAPIV3Schema: {properties: {a: {minimum: 0.5, maximum: '10', multipleOf: [2]}, b: {additionalProperties: 3}, c: {additionalProperties: false}}}}\n",
			[]string{
				`7: CustomResourceDefinition a: spec.versions[0].schema.openAPIV3Schema.properties.a.maximum: is "10", a string; it must be a number: write it without quotes`,
				`7: CustomResourceDefinition a: spec.versions[0].schema.openAPIV3Schema.properties.a.multipleOf: is a list; it must be a number`,
				`7: CustomResourceDefinition a: spec.versions[0].schema.openAPIV3Schema.properties.b.additionalProperties: is 3, a number; it must be true, false or a schema`,
			},
		},
		"values in a form of their own": {&corev1.Pod{}, "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n" +
			"  - {name: a, resources: {limits: {cpu: 0.5, memory: 1GB}}, livenessProbe: {httpGet: {port: 1.5}}, readinessProbe: {httpGet: {port: http}}}\n", []string{
			"6: Pod a: spec.containers[0].livenessProbe.httpGet.port: is 1.5, a number; it must be a whole number or a string",
			`6: Pod a: spec.containers[0].resources.limits.memory: is "1GB", a string; it must be a quantity, such as 2, 100m or 1Gi`,
		}},
		"a secret as it is": {
			&corev1.Secret{}, "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {a: 'open!'}\ndata: {b: aGVsbG8=, c: 'open!'}\n",
			[]string{`5: Secret a: data.c: is "open!", a string; it must be in base64`},
		},
		"numbers and quantities": {&appsv1.Deployment{}, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec:\n  replicas: 1.5\n  template:\n    spec:\n      containers:\n" +
			"      - {name: a, resources: {limits: {cpu: 1, memory: [1]}}, env: [{name: PORT, value: 8080}], ports: [{containerPort: 3000000000}]}\n", []string{
			"5: Deployment a: spec.replicas: is 1.5, a number; it must be a whole number",
			`9: Deployment a: spec.template.spec.containers[0].env[0].value: is 8080, a number; it must be a string: write "8080", with quotes`,
			"9: Deployment a: spec.template.spec.containers[0].ports[0].containerPort: is 3000000000, a number; it must be a number from -2147483648 to 2147483647",
			"9: Deployment a: spec.template.spec.containers[0].resources.limits.memory: is a list; it must be a quantity, such as 2, 100m or 1Gi",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(inDir(t, map[string]string{"f.yaml": tc.text}), "f.yaml")
			objects, err := Read(file, nil)
			if name == "a list for a mapping" { // the metadata are looked at when it is read
				if err == nil || !strings.HasSuffix(err.Error(), "metadata.labels: is a list; it must be a mapping") {
					t.Errorf("got %v", err)
				}
				return
			}
			if err == nil {
				err = objects[0].Into(tc.target)
			}
			var got []string
			if err != nil {
				got = strings.Split(strings.ReplaceAll(err.Error(), file+":", ""), "\n")
			}
			if name == "several at once" { // those of the metadata come first, alone
				tc.want = tc.want[:1]
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", fmt.Sprint(diff))
			}
		})
	}
}

// TestFileLikeAnAddress: a file whose name looks like the address of a repository is a file for
// kustomize, too. A folder of such a name is not: kustomize would fetch it.
func TestFileLikeAnAddress(t *testing.T) {
	for name, tc := range map[string]struct {
		file string
		made bool
		ok   bool
	}{
		"a file":           {"postgres@15.yaml", true, true},
		"there is none":    {"postgres@15.yaml", false, false},
		"in such a folder": {"github.com/a/b.yaml", true, true},
	} {
		dir := t.TempDir()
		write := func(file, text string) {
			path := filepath.Join(dir, file)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		write("kustomization.yaml", "resources: ["+tc.file+"]\n")
		if tc.made {
			write(tc.file, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
		}
		objects, err := Read(dir, nil)
		if (err == nil) != tc.ok || tc.ok && len(objects) != 1 {
			t.Errorf("%s: %d objects, %v", name, len(objects), err)
		}
	}
}

// TestLastLine: a text of several lines at the end of a file is what it is for kubectl, also if
// the last line does not end.
func TestLastLine(t *testing.T) {
	const start = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: "
	for text, want := range map[string]string{
		"|\n    b\n    c": "b\nc\n", "|-\n    b": "b", ">\n    b\n    c": "b c\n", "|\n    b\n": "b\n", "|+\n    b\n\n": "b\n\n", "b": "b",
	} {
		t.Run(text, func(t *testing.T) {
			objects, err := Read(filepath.Join(inDir(t, map[string]string{"f.yaml": start + text}), "f.yaml"), nil)
			if err != nil || len(objects) != 1 {
				t.Fatal(objects, err)
			}
			if diff := cmp.Diff(map[string]any{"a": want}, objects[0].Object["data"]); diff != "" {
				t.Errorf("data (-want +got):\n%s", diff)
			}
		})
	}
}
