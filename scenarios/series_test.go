package scenarios_test

import (
	"strings"
	"testing"

	"github.com/kyverno/chainsaw/pkg/apis"
	"github.com/kyverno/chainsaw/pkg/discovery"
	"github.com/kyverno/kyverno-json/pkg/core/compilers"
)

// TestSeriesInWords evaluates what OB-006 and OB-009 say of the number of series, as
// Chainsaw does: "true", or the numbers and the metrics that have grown.
func TestSeriesInWords(t *testing.T) {
	for _, row := range []string{"metrics-do-not-pile-up", "changes-add-no-series"} {
		condition, most := seriesCondition(t, row)
		for name, tc := range map[string]struct {
			endpoint map[string]any
			want     string
		}{
			"as before":   {map[string]any{"series": int64(190)}, "true"},
			"a few more":  {map[string]any{"series": int64(215), "grown": []any{"a (+25)"}}, "true"},
			"many more":   {map[string]any{"series": int64(240), "grown": []any{"a (+49)", "b (+1)"}}, "240 series now, before: 190 - new ones of a (+49), b (+1)"},
			"not of what": {map[string]any{"series": int64(240)}, "240 series now, before: 190 - new ones of "},
		} {
			t.Run(row+"/"+name, func(t *testing.T) {
				bindings := apis.NewBindings().
					Register("$noted", apis.NewBinding(map[string]any{"series": "190"})).Register(most, apis.NewBinding(int64(215)))
				found, err := compilers.Execute(condition, tc.endpoint, bindings, apis.DefaultCompilers.Jp)
				if err != nil {
					t.Fatal(err)
				}
				if found != tc.want {
					t.Errorf("got %q, want %q", found, tc.want)
				}
			})
		}
	}
}

// seriesCondition returns the expression of a scenario about the number of series, without
// its parentheses, and the variable with the largest number that is allowed.
func seriesCondition(t *testing.T, row string) (condition, most string) {
	t.Helper()
	tests, err := discovery.DiscoverTests("chainsaw-test", nil, false, "observability/"+row)
	if err != nil || len(tests) != 1 {
		t.Fatalf("%d scenarios, error %v", len(tests), err)
	}
	for _, step := range tests[0].Test.Spec.Steps {
		for _, operation := range step.Try {
			if operation.Assert == nil {
				continue
			}
			object, _ := operation.Assert.Check.Value().(map[string]any)
			status, _ := object["status"].(map[string]any)
			endpoint, _ := status["endpoint"].(map[string]any)
			for condition := range endpoint {
				if _, after, ok := strings.Cut(condition, "series <= "); ok {
					most, _, _ = strings.Cut(after, " ")
					return condition[1 : len(condition)-1], most
				}
			}
		}
	}
	t.Fatalf("no step of %s says how many series there may be", row)
	return "", ""
}
