package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPublished: the schemas in the documentation are those of the types.
func TestPublished(t *testing.T) {
	const root = "../.."
	for kind, file := range map[string]string{
		"ConformanceReport": "docs/conformance-report.schema.json",
		"ExploreReport":     "docs/explore-report.schema.json",
	} {
		want, err := schemaOf(root, kind)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(root + "/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is stale (make generate) (-want +got):\n%s", file, diff)
		}
	}
}
