package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestLibrariesAreQuiet: what kustomize and helm print of old fields and wrong values does
// not reach the terminal. A note says it once, though two fields name the same
// manifests. Another note names what the shipped container has, and the command has not.
func TestLibrariesAreQuiet(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"k/kustomization.yaml": "bases: [../b]\nresources: [manager.yaml]\ncommonLabels: {a: b}\nvars: [{name: X, objref: {kind: Namespace, name: x, apiVersion: v1}}]\n",
		"k/manager.yaml":       "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: manager}\nspec: {selector: {}, template: {spec: {containers: [{name: m, args: [--mode=x]}]}}}\n",
		"b/kustomization.yaml": "resources: [all.yaml]\n",
		"b/all.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n---\n" +
			"apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: a}\nrules: [{apiGroups: [example.com], resources: [notes], verbs: [get]}]\n",
		"c/Chart.yaml":  "{apiVersion: v2, name: c, version: 0.1.0, dependencies: [{name: part, version: 0.1.0, condition: part.enabled}]}",
		"c/values.yaml": "part: {enabled: 'no'}\n", "c/charts/part/Chart.yaml": "{apiVersion: v2, name: part, version: 0.1.0}",
		"c/templates/crd.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: notes.example.com}\n" +
			"spec:\n  group: example.com\n  scope: Namespaced\n  names: {kind: Note, plural: notes}\n" +
			"  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object}}}}}]\n",
		"mine.yaml": "apiVersion: reconform.dev/v1alpha1\nkind: Profile\nmetadata: {name: mine}\nspec:\n  implementation: {name: mine}\n" +
			"  serves: [{resource: {group: example.com, version: v1, kind: Note, plural: notes}, sample: {spec: {}}}]\n" +
			"  claims: {times: {longestRetryPause: 1s}}\n  install: {crds: [c], rbac: [k, k/kustomization.yaml]}\n  launch: {command: [./mine]}\n",
		"mine": "#!/bin/sh\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var stderr bytes.Buffer
	c := exec.CommandContext(t.Context(), os.Args[0], "validate", "mine.yaml") // without a contract, nothing is started
	c.Dir, c.Env, c.Stderr = dir, append(os.Environ(), commandEnv+"=1"), &stderr
	if err := c.Run(); err != nil {
		t.Errorf("%v:\n%s", err, &stderr)
	}
	want := []string{
		`note: c: the value part.enabled, a condition of the chart part, is "no", a string; it must be true or false; helm ignores it as it is`,
		"note: k/kustomization.yaml has old fields, which are read as before: bases (today: resources), commonLabels (today: labels), vars (today: replacements)",
		"note: Deployment manager starts its container m with what this command does not have: the flags --mode. Give what it needs: variables by launch.env, which is --env of init",
	}
	got := strings.Split(strings.TrimSpace(strings.ReplaceAll(stderr.String(), dir+"/", "")), "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("standard error (-want +got):\n%s", diff)
	}
}
