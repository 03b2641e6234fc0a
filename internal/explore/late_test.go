package explore

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestLatePlans: what the object needs beside it is deleted, and comes after the object.
func TestLatePlans(t *testing.T) {
	crd := filepath.Join(t.TempDir(), "crd.yaml")
	if err := os.WriteFile(crd, []byte(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: media.example.com},
  spec: {group: example.com, scope: Namespaced, names: {plural: media, kind: Medium}, versions: [{name: v1, served: true, storage: true}]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	medium := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Medium", "metadata": map[string]any{"name": "demo"}}}
	for name, tc := range map[string]struct {
		profile string
		change  func(*Target)
		want    []string // the steps
	}{
		"a ConfigMap": {"reference", nil, []string{"delete configmaps demo-config", "create an object", "create ConfigMap demo-config"}},
		"a kind with a plural of its own": {"reference", func(t *Target) {
			t.Profile.Spec.Install.CRDs, t.Beside = append(t.Profile.Spec.Install.CRDs, crd), []*unstructured.Unstructured{medium}
		}, []string{"delete media.example.com demo", "create an object", "create Medium demo"}},
		"nothing beside it":       {"reference", func(t *Target) { t.Beside = nil }, nil},
		"it claims no dependency": {"reference", func(t *Target) { t.Profile.Spec.Claims.Features = nil }, nil},
		"no contract, and none":   {"backup-any", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			target := targetOf(t, tc.profile)
			if tc.change != nil {
				tc.change(target)
			}
			create := recordedWith("create", "{}")
			create.Undisturbed.Writes = 3
			plans, err := latePlans(map[string]*Recording{"create": create}, []Operation{create.Operation}, target)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range plans {
				got = append(got, p.Operation.inWords()...)
				if p.Undisturbed.Objects != create.Undisturbed.Objects || p.Undisturbed.Writes != 0 {
					t.Errorf("expected: %+v", p.Undisturbed)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
			if none, _ := latePlans(map[string]*Recording{"create": create}, []Operation{{Name: "edit-x"}}, target); len(none) > 0 {
				t.Error("it is planned though the creation is not disturbed")
			}
		})
	}
	one := recordedWith("create", "{}").plan(besideLate, "all", "before it", "")
	if got := inProduction(&finding{plan: one, first: &tried{}}, v1alpha1.Divergence{Kind: v1alpha1.DivergenceMissing, Object: "services demo"}); got !=
		"After an object is created, and what it needs beside it comes later, services demo is missing, and stays so." {
		t.Errorf("in words: %s", got)
	}
}
