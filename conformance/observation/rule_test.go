package observation

import (
	"strings"
	"testing"
)

func TestCompileErrors(t *testing.T) {
	for name, tc := range map[string]struct{ expression, want string }{
		"syntax":       {"new.status.phase ==", "Syntax error"},
		"unknown name": {"newer.status.phase == 'Running'", "undeclared reference to 'newer'"},
		"not a bool":   {"'Running'", "must yield bool"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := compile(tc.expression)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("compile(%q) = %v, want an error with %q", tc.expression, err, tc.want)
			}
		})
	}
}

func TestHolds(t *testing.T) {
	webapp := func(phase string, ready, replicas int64) map[string]any {
		return map[string]any{
			"spec":   map[string]any{"replicas": replicas},
			"status": map[string]any{"phase": phase, "readyReplicas": ready},
		}
	}
	const early = "new.status.phase == 'Running' && new.status.readyReplicas < new.spec.replicas"
	for name, tc := range map[string]struct {
		expression  string
		before, now map[string]any
		want        bool
	}{
		"running too early":         {early, nil, webapp("Running", 1, 2), true},
		"running in time":           {early, nil, webapp("Running", 2, 2), false},
		"field is absent":           {early, nil, map[string]any{"spec": map[string]any{}}, false},
		"object is gone":            {early, webapp("Running", 2, 2), nil, false},
		"deletion itself":           {"new == null", webapp("Running", 2, 2), nil, true},
		"creation itself":           {"old == null", nil, webapp("Running", 2, 2), true},
		"change between versions":   {"old != null && old.status.phase != new.status.phase", webapp("Pending", 0, 2), webapp("Running", 2, 2), true},
		"no change between":         {"old != null && old.status.phase != new.status.phase", webapp("Running", 2, 2), webapp("Running", 2, 2), false},
		"optional access of absent": {"new.?status.phase.orValue('') == ''", nil, map[string]any{}, true},
	} {
		t.Run(name, func(t *testing.T) {
			compiled, err := compile(tc.expression)
			if err != nil {
				t.Fatal(err)
			}
			if got := compiled.holds(tc.before, tc.now); got != tc.want {
				t.Errorf("holds = %t, want %t", got, tc.want)
			}
		})
	}
}
