package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/report"
)

// TestExploreWithoutANamespace explores a controller of two resources, one of which has
// no namespace. No Trial finds objects of the Trial before it.
func TestExploreWithoutANamespace(t *testing.T) {
	t.Parallel()
	startsControlPlane(t)
	reports := t.TempDir()
	status, stdout, stderr := run(t, "explore", "--profile", "teams", "--operations", "restart", "--disturbances", "undone", "--report-dir", reports)
	if status != 0 {
		t.Fatalf("status %d\n%s\n%s", status, stdout, stderr)
	}
	data, err := os.ReadFile(filepath.Join(reports, report.ExploredFile))
	if err != nil {
		t.Fatal(err)
	}
	explored := v1alpha1.ExploreReport{}
	if err := yaml.Unmarshal(data, &explored); err != nil {
		t.Fatal(err)
	}
	want := v1alpha1.ExplorePlans{Planned: 2, All: 2, Done: 2, SecondsPerPlan: explored.Plans.SecondsPerPlan}
	if diff := cmp.Diff(want, explored.Plans); diff != "" || explored.Verdict != v1alpha1.Converges || len(explored.Left) > 2 {
		t.Errorf("%s: left %v, plans (-want +got):\n%s", explored.Verdict, explored.Left, diff)
	}
	var names []string
	for _, operation := range explored.Operations {
		names = append(names, operation.Name)
	}
	if diff := cmp.Diff([]string{"restart", "restart-of-badges"}, names); diff != "" {
		t.Errorf("operations (-want +got):\n%s", diff)
	}
	// The object without a namespace, and its children in the namespace, are compared.
	if len(explored.Masks) > 0 {
		t.Errorf("masks: %v", explored.Masks)
	}
}
