package main

import (
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func TestInWords(t *testing.T) {
	selected := v1alpha1.Selection{Run: "^RC-"}
	for name, c := range map[string]struct {
		verdict   v1alpha1.Verdict
		selection v1alpha1.Selection
		want      string
	}{
		"all passed":               {verdict: v1alpha1.Conformant, want: "conformant"},
		"some could not be judged": {verdict: v1alpha1.Partial, want: "partial: nothing failed, but not every core requirement was judged"},
		"some were not asked for":  {verdict: v1alpha1.Partial, selection: selected, want: "partial: nothing failed, and not every core requirement was selected"},
		"one failed":               {verdict: v1alpha1.NotConformant, selection: selected, want: "not conformant"},
		"nothing is known":         {verdict: v1alpha1.Inconclusive, want: "not judged: the test was inconclusive"},
	} {
		t.Run(name, func(t *testing.T) {
			got := inWords(&v1alpha1.ConformanceReport{Verdict: c.verdict, Selection: c.selection})
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
