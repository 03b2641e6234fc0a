package main

import (
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
)

func TestWhyNothing(t *testing.T) {
	var skipped []v1alpha1.Result
	for _, id := range []string{"A", "B", "C", "D", "E", "G", "H"} {
		skipped = append(skipped, v1alpha1.Result{ID: id, Reason: "one reason"})
	}
	skipped = append(skipped, v1alpha1.Result{ID: "F", Reason: "another"})
	if got, want := whyNothing(skipped), "A, B, C, D, E, G and 1 more: one reason; F: another"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
