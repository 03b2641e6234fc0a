package scenarios_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/kyverno/chainsaw/pkg/apis"
	"github.com/kyverno/chainsaw/pkg/discovery"
	"github.com/kyverno/kyverno-json/pkg/core/compilers"
)

// TestGaugesThatOnlyGoUp evaluates the condition of OB-006 as Chainsaw does. Only a gauge
// that went up by one for each object, twice, is found. The numbers of ConfigMaps are JSON,
// and those of a status are integers.
func TestGaugesThatOnlyGoUp(t *testing.T) {
	condition := gaugeCondition(t)
	for name, tc := range map[string]struct {
		atFirst, noted string
		gauges         map[string]any
		want           []any
	}{
		"none":                       {`{}`, `{}`, nil, []any{}},
		"it counts what is there":    {`{"shops": 0}`, `{"shops": 0}`, map[string]any{"shops": int64(0)}, []any{}},
		"it never goes down":         {`{"shops": 0}`, `{"shops": 10}`, map[string]any{"shops": int64(70)}, []any{"shops"}},
		"it did not exist at first":  {`{}`, `{"shops": 10}`, map[string]any{"shops": int64(70)}, []any{"shops"}},
		"there were some before":     {`{"shops": 3}`, `{"shops": 13}`, map[string]any{"shops": int64(73)}, []any{"shops"}},
		"it goes down late":          {`{"shops": 0}`, `{"shops": 10}`, map[string]any{"shops": int64(60)}, []any{}},
		"the most at a time":         {`{"shops": 0}`, `{"shops": 10}`, map[string]any{"shops": int64(60)}, []any{}},
		"sixty and not ten":          {`{"shops": 0}`, `{"shops": 12}`, map[string]any{"shops": int64(72)}, []any{}},
		"ten and not sixty":          {`{"shops": 0}`, `{"shops": 10}`, map[string]any{"shops": int64(171)}, []any{}},
		"sixty of a new one":         {`{}`, `{}`, map[string]any{"shops": int64(60)}, []any{}},
		"it goes down below nothing": {`{"shops": 0}`, `{"shops": -10}`, map[string]any{"shops": int64(-70)}, []any{}},
		"large ones": {
			`{"shops": 9007199254740000}`, `{"shops": 9007199254740010}`, map[string]any{"shops": int64(9007199254740070)}, []any{"shops"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			bindings := apis.NewBindings()
			for variable, text := range map[string]string{"$at_first": tc.atFirst, "$noted": tc.noted} {
				value, err := compilers.Execute("parse_json(@)", text, nil, apis.DefaultCompilers.Jp)
				if err != nil {
					t.Fatal(err)
				}
				bindings = bindings.Register(variable, apis.NewBinding(value))
			}
			status := map[string]any{"endpoint": map[string]any{"gauges": tc.gauges}}
			found, err := compilers.Execute("("+condition+")[].gauge", status, bindings, apis.DefaultCompilers.Jp)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, found); diff != "" {
				t.Errorf("gauges (-want +got):\n%s", diff)
			}
		})
	}
}

// gaugeCondition is the expression of the last step of OB-006, without its parentheses.
func gaugeCondition(t *testing.T) string {
	t.Helper()
	tests, err := discovery.DiscoverTests("chainsaw-test", nil, false, "observability/metrics-do-not-pile-up")
	if err != nil || len(tests) != 1 {
		t.Fatalf("%d scenarios, error %v", len(tests), err)
	}
	steps := tests[0].Test.Spec.Steps
	object, ok := steps[len(steps)-1].Try[0].Assert.Check.Value().(map[string]any)
	if !ok {
		t.Fatal("its last step asserts nothing")
	}
	status, _ := object["status"].(map[string]any)
	for condition := range status {
		return condition[1 : len(condition)-1]
	}
	t.Fatal("its last step asserts nothing of the status")
	return ""
}
