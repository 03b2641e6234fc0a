package profile

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// TestEachPatternHasWords: the words for a pattern are found by the pattern as the schema
// writes it, so each pattern of the schema has words, and there are no others.
func TestEachPatternHasWords(t *testing.T) {
	s, err := profileSchema()
	if err != nil {
		t.Fatal(err)
	}
	patterns := map[string]bool{}
	collectPatterns(s.v1, patterns)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(patterns)), slices.Sorted(maps.Keys(forms))); diff != "" {
		t.Errorf("patterns of the schema, and patterns that have words:\n%s", diff)
	}
}

func collectPatterns(s *apiextensionsv1.JSONSchemaProps, into map[string]bool) {
	if s.Pattern != "" {
		into[s.Pattern] = true
	}
	for _, property := range s.Properties {
		collectPatterns(&property, into)
	}
	if s.Items != nil && s.Items.Schema != nil {
		collectPatterns(s.Items.Schema, into)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		collectPatterns(s.AdditionalProperties.Schema, into)
	}
}

// TestBrokenPatternsAreToldInWords: the message has what is there and what is due, and no
// regular expression.
func TestBrokenPatternsAreToldInWords(t *testing.T) {
	for name, tc := range map[string]struct{ old, changed, want string }{
		"name of a contract": {"    resource: {", "    name: My_App\n    resource: {", `"My_App": a name has small letters`},
		"name of a metric":   {"claims: {", "claims: {metrics: {errors: my-errors}, ", `"my-errors": the name of a metric has letters`},
		"path of a field":    {"spec.image", "\"spec.ports[1]\"", `"spec.ports[1]": a path leads from the root`},
		"path of a URL":      {"command:", "endpoints: {health: {port: health, path: livez}}\n    command:", `"livez": the path of a URL begins`},
		"name of an edit": {
			"  claims: {",
			"  serves: [{resource: {group: a.b, version: v1, kind: A, plural: as}, sample: {}, edits: [{name: -port, patch: {}}]}]\n  claims: {",
			`"-port": a name has small letters`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("mine.yaml", []byte(edit(t, minimal, tc.old, tc.changed)))
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "should match") {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}
