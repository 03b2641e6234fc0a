package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPublished: the schema in the documentation is that of the types.
func TestPublished(t *testing.T) {
	const root = "../.."
	want, err := schemaOf(root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(root + "/docs/conformance-report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("docs/conformance-report.schema.json is stale (make generate) (-want +got):\n%s", diff)
	}
}
