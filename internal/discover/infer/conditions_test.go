package infer

import "testing"

// TestConditionsIn: of several lists that look like conditions it is always the same one.
func TestConditionsIn(t *testing.T) {
	list := []any{map[string]any{"type": "Ready", "status": "True"}}
	for name, tc := range map[string]struct {
		status map[string]any
		want   string
	}{
		"the usual name":       {map[string]any{"checks": list, "conditions": list, "states": list}, "status.conditions"},
		"two other names":      {map[string]any{"states": list, "checks": list}, "status.checks"},
		"one above another":    {map[string]any{"a": map[string]any{"conditions": list}, "states": list}, "status.states"},
		"in two parts":         {map[string]any{"b": map[string]any{"conditions": list}, "a": map[string]any{"conditions": list}}, "status.a.conditions"},
		"an empty list":        {map[string]any{"conditions": []any{}, "states": list}, "status.states"},
		"a list of other maps": {map[string]any{"addresses": []any{map[string]any{"type": "IP", "value": "10.0.0.1"}}}, ""},
		"a list of texts":      {map[string]any{"nodes": []any{"a"}}, ""},
		"no status":            {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for range 10 { // a map has another order each time
				if got := conditionsIn(tc.status, "status"); got != tc.want {
					t.Fatalf("got %q, want %q", got, tc.want)
				}
			}
		})
	}
}
