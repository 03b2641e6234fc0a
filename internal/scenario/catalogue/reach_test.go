package catalogue

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReachTable: each requirement is in one column, and those in a row are joined.
func TestReachTable(t *testing.T) {
	got := reachTable([]Requirement{
		{ID: "SD-001", Area: "shutdown", Any: true},
		{ID: "SD-002", Area: "shutdown", Any: true},
		{ID: "RC-009", Area: "reconcile"},
		{ID: "RC-010", Area: "reconcile"},
		{ID: "RC-011", Area: "reconcile"},
		{ID: "RC-013", Area: "reconcile"},
		{ID: "RC-012", Area: "reconcile", Contract: WebApps},
		{ID: "BK-001", Area: "backup", Contract: "backup"},
	})
	want := `| area | any controller | any workload | only web apps |
|---|---|---|---|
| shutdown | SD-001, SD-002 |  |  |
| reconcile |  | RC-009 to RC-011, RC-013 | RC-012 |
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}
