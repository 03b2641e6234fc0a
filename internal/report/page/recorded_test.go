package page

import (
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

// TestEntryOf: what was recorded belongs to a requirement, whatever look it was.
func TestEntryOf(t *testing.T) {
	v := &view{Report: &v1alpha1.ConformanceReport{}}
	for _, r := range []v1alpha1.Result{{ID: "SH-001"}, {ID: "SH-002", Repeat: 1}, {ID: "SH-002", Repeat: 2}} {
		v.entries = append(v.entries, &entry{Result: &r, Title: anchor(r.ID, r.Repeat)})
	}
	for namespace, want := range map[string]string{
		"reconform-sh-001":         "SH-001",
		"reconform-mine-sh-001":    "SH-001",
		"reconform-sh-001-again":   "SH-001",
		"reconform-sh-001-waiting": "SH-001",
		"reconform-sh-002-r1":      "SH-002",
		"reconform-sh-002-r2":      "SH-002-r2",

		"reconform-sh-002-r2-again":   "SH-002-r2",
		"reconform-sh-002-r2-waiting": "SH-002-r2",
		"reconform-sh-001-home":       "",
		"reconform-sh-003":            "",
		"another-sh-001":              "",
	} {
		got := ""
		if e := v.entryOf(&look{namespace: namespace}); e != nil {
			got = e.Title
		}
		if got != want {
			t.Errorf("%s belongs to %q, want %q", namespace, got, want)
		}
	}
}
