package render

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzRender checks that no file makes the mapping panic, and that the YAML parser can
// read what is mapped.
func FuzzRender(f *testing.F) {
	for _, operations := range []string{
		create + check, benchObject("Load", "action: Create, count: 3, template: {"+webapp+"}"),
		benchObject("Observation", "resource: webapps, never: has(new.status.phase)"),
		"- command: {entrypoint: kubectl, args: [patch, webapp/demo, '--patch={\"spec\":{\"replicas\":5}}'], check: {($stdout == ''): true}}\n",
		"- assert: {bindings: [{name: a, value: (spec)}], resource: {" + deployment + ", spec: {(a[?b == 'c'].d | [0]): {}}}}\n",
		"- wait: {apiVersion: v1, kind: Service, name: demo, for: {jsonPath: {path: '{.spec}', value: x}}}\n",
	} {
		f.Add([]byte(scenarioText(operations)))
	}
	p := siteProfile(f)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parse(filepath.Join(dir, FileName), data, os.ReadFile)
		if err != nil {
			return
		}
		r, err := Render(s, p)
		if skip := (*Skip)(nil); errors.As(err, &skip) || err != nil {
			return
		}
		text, err := r.YAML()
		if err != nil {
			t.Fatal(err)
		}
		decoded(t, text)
	})
}

// TestReferenceIsItsProfile compares what scenarios are checked with to the reference's
// profile. That has no name of a Deployment in its spec.
func TestReferenceIsItsProfile(t *testing.T) {
	want, got := builtin(t, "reference"), reference()
	got.Spec.Contract.Spec.DeploymentName = nil
	if diff := cmp.Diff(want.SpecFields(), got.SpecFields()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want.StatusFields(), got.StatusFields()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want.Spec.Contract.Resource, got.Spec.Contract.Resource); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want.Spec.Contract.Children, got.Spec.Contract.Children); diff != "" {
		t.Error(diff)
	}
}
