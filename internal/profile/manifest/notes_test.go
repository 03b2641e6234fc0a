package manifest

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/chart/common"
)

// TestNotes: what helm and kustomize would warn of, and what is left out, is told in our
// words. DIR is the folder with the files.
func TestNotes(t *testing.T) {
	part := map[string]string{
		"c/Chart.yaml":                                  "{apiVersion: v2, name: c, version: 0.1.0, dependencies: [{name: part, version: 0.1.0, condition: 'part.enabled,global.enabled', tags: [more]}]}",
		"c/charts/part/Chart.yaml":                      "{apiVersion: v2, name: part, version: 0.1.0, dependencies: [{name: deep, version: 0.1.0, condition: deep.enabled}]}",
		"c/charts/part/values.yaml":                     "deep: {enabled: 1}",
		"c/charts/part/charts/deep/Chart.yaml":          "{apiVersion: v2, name: deep, version: 0.1.0}",
		"c/charts/part/charts/deep/templates/note.yaml": note,
	}
	chart := func(values string) map[string]string {
		files := map[string]string{"c/values.yaml": values}
		for name, text := range part {
			files[name] = text
		}
		return files
	}
	const deep = `DIR/c: the value part.deep.enabled, a condition of the chart deep, is 1, a number; it must be true or false; helm ignores it as it is`
	for name, tc := range map[string]struct {
		path  string
		files map[string]string
		want  []string
		count int // of the objects
	}{
		"a condition that is a text": {"c", chart("part: {enabled: 'false'}"), []string{
			`DIR/c: the value part.enabled, a condition of the chart part, is "false", a string; it must be true or false: write it without quotes; helm ignores it as it is`, deep,
		}, 1},
		"a second condition that counts": {"c", chart("part: {enabled: 'false'}\nglobal: {enabled: false}"), []string{
			`DIR/c: the value part.enabled, a condition of the chart part, is "false", a string; it must be true or false: write it without quotes; helm ignores it as it is`, deep,
		}, 0},
		"a tag that is a number": {"c", chart("tags: {more: 0}\npart: {deep: {enabled: true}}"), []string{
			`DIR/c: the value tags.more, a tag of the chart part, is 0, a number; it must be true or false; helm ignores it as it is`,
		}, 1},
		"switched off": {"c", chart("part: {enabled: false, deep: {enabled: true}}"), nil, 0},
		"hooks": {"c", map[string]string{
			"c/Chart.yaml": "{apiVersion: v2, name: c, version: 0.1.0}",
			"c/templates/hooks.yaml": strings.Replace(note, "name: note", "name: try, annotations: {helm.sh/hook: test}", 1) + "---\n" +
				strings.Replace(note, "name: note", "name: stays, annotations: {helm.sh/hook: post-install}", 1),
		}, []string{"DIR/c: hooks that do not run at an install, or are deleted after it, are left out: ConfigMap try"}, 1},
		"for another Kubernetes": {"c", map[string]string{
			"c/Chart.yaml": "{apiVersion: v2, name: c, version: 0.1.0, kubeVersion: '<1.10'}", "c/templates/note.yaml": note,
		}, []string{"DIR/c: the chart asks for Kubernetes <1.10, and it is filled in for " + common.DefaultCapabilities.KubeVersion.String() + ": helm would refuse that"}, 1},
		"for this Kubernetes": {"c", map[string]string{
			"c/Chart.yaml": "{apiVersion: v2, name: c, version: 0.1.0, kubeVersion: '>=1.10-0'}", "c/templates/note.yaml": note,
		}, nil, 1},
		"old fields": {"k", map[string]string{
			"k/kustomization.yaml": "bases: [../b]\nCommonLabels: {a: b}\npatchesJson6902: []\n",
			"b/kustomization.yaml": "resources: [note.yaml]\npatchesStrategicMerge: []\n", "b/note.yaml": note,
		}, []string{
			"DIR/k/kustomization.yaml has old fields, which are read as before: bases (today: resources), CommonLabels (today: labels), patchesJson6902 (today: patches)",
			"DIR/b/kustomization.yaml has old fields, which are read as before: patchesStrategicMerge (today: patches)",
		}, 1},
		"a base that is named twice": {"k", map[string]string{
			"k/kustomization.yaml": "resources: [../m, ../n]\n",
			"m/kustomization.yaml": "resources: [../b]\nnamePrefix: m-\n", "n/kustomization.yaml": "resources: [../b]\nnamePrefix: n-\n",
			"b/kustomization.yaml": "resources: [note.yaml]\nvars: []\n", "b/note.yaml": note,
		}, []string{"DIR/b/kustomization.yaml has old fields, which are read as before: vars (today: replacements)"}, 2},
		"folders in a folder": {
			"f",
			map[string]string{"f/a.yaml": note, "f/more/b.yaml": note, "f/more/c.yaml": note, "f/texts/README.md": "a"},
			[]string{"DIR/f: folders in it are not read: more"},
			1,
		},
		"a file": {"f/a.yaml", map[string]string{"f/a.yaml": note, "f/more/b.yaml": note}, nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			dir := inDir(t, tc.files)
			objects, notes, err := ReadNoted(filepath.Join(dir, tc.path), nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range notes {
				notes[i] = strings.ReplaceAll(notes[i], dir, "DIR")
			}
			if diff := cmp.Diff(tc.want, notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
			if len(objects) != tc.count {
				t.Errorf("%d objects, want %d", len(objects), tc.count)
			}
		})
	}
}

// TestUnreadable: what cannot be read says what to do, in the words of who shipped it.
func TestUnreadable(t *testing.T) {
	for name, tc := range map[string]struct {
		path  string
		files map[string]string
		want  string
	}{
		"a chart in a kustomization": {
			"k",
			map[string]string{"k/kustomization.yaml": "resources: [a.yaml]\nhelmCharts: [{name: x}]\n", "k/a.yaml": note},
			"DIR/k/kustomization.yaml:2: helmCharts: a chart in a kustomization is not built here: give a file with the output of kustomize build --enable-helm",
		},
		"a field that kustomize does not know": {
			"k",
			map[string]string{"k/kustomization.yaml": "\nresource: [a.yaml]\n", "k/a.yaml": note},
			`DIR/k/kustomization.yaml:2: resource: kustomize knows no such field (did you mean "resources"?)`,
		},
		"an object in two files": {
			"k",
			map[string]string{"k/kustomization.yaml": "resources: [a.yaml, b.yaml]\n", "k/a.yaml": note, "k/b.yaml": note},
			"; two of its files have the same object, ConfigMap.v1.[noGrp]/note.[noNs]: name one file in place of the folder",
		},
		"a library": {
			"c",
			map[string]string{"c/Chart.yaml": "{apiVersion: v2, name: c, version: 0.1.0, type: library}"},
			"the chart DIR/c is a library, which has no manifests of its own: give a chart that uses it",
		},
		"a template that gives no YAML": {"c", map[string]string{
			"c/Chart.yaml": "{apiVersion: v2, name: c, version: 0.1.0}", "c/templates/a.yaml": "{{ range list 1 2 }}\n# {{ . }}\n{{ end }}kind: A\n  bad: x\n",
		}, "DIR/c/templates/a.yaml: not YAML: mapping values are not allowed in this context, in line 6 of what comes out"},
		"a packed file that is no chart": {
			"a.yaml.gz",
			map[string]string{"a.yaml.gz": "\x1f\x8bxx"},
			"DIR/a.yaml.gz is packed, and cannot be read as the archive of a chart: ",
		},
		"a chart of a registry": {"oci://registry.example/charts/a", nil, "run helm pull oci://registry.example/charts/a, and name the archive"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := inDir(t, tc.files)
			path := tc.path
			if tc.files != nil {
				path = filepath.Join(dir, path)
			}
			_, err := Read(path, nil)
			if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), dir, "DIR"), tc.want) {
				t.Errorf("got %v\nwant %s", err, tc.want)
			}
		})
	}
}
