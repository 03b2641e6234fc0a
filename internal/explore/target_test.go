package explore

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/profile"
)

// targetOf makes a target of a profile of the repository.
func targetOf(t *testing.T, name string) *Target {
	t.Helper()
	p, err := profile.Resolve("../../fixtures/profiles/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	target, err := FromProfile(p)
	if err != nil {
		t.Fatal(err)
	}
	return target
}

func TestTargetOfAProfile(t *testing.T) {
	target := targetOf(t, "reference")
	want := map[string]any{
		"apiVersion": "apps.kubedojo.io/v1beta1", "kind": "WebApp", "metadata": map[string]any{"name": "demo"},
		"spec": map[string]any{
			"image": "registry.example/demo:v1", "replicas": int64(2), "port": int64(8080), "configMapRef": map[string]any{"name": "demo-config"},
		},
	}
	if diff := cmp.Diff(want, target.Sample.Object); diff != "" {
		t.Errorf("sample (-want +got):\n%s", diff)
	}
	edits := map[string]string{}
	for _, edit := range target.edits() {
		patch, err := json.Marshal(edit.Patch)
		if err != nil {
			t.Fatal(err)
		}
		edits[edit.Name] = string(patch)
	}
	wantEdits := map[string]string{
		"image": `{"spec":{"image":"registry.example/demo:v2"}}`, "replicas": `{"spec":{"replicas":3}}`, "port": `{"spec":{"port":8081}}`,
		"env": `{"spec":{"env":{"GREETING":"hello"}}}`, "configMapRef": `{"spec":{"configMapRef":null}}`, "configmap-demo-config": `{"data":{"reconform":"edited"}}`,
	}
	if diff := cmp.Diff(wantEdits, edits); diff != "" {
		t.Errorf("edits (-want +got):\n%s", diff)
	}
}

// Every profile of the repository makes a target with at least one edit.
func TestTargetsOfAllProfiles(t *testing.T) {
	for _, name := range []string{"kubebuilder", "clientgo", "stateful", "renamed", "one-per-namespace", "finalizer", "sample-controller", "backup-any"} {
		if target := targetOf(t, name); len(target.Edits) == 0 {
			t.Errorf("%s has no edits", name)
		}
	}
}
