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
			_, err := compile("never", tc.expression)
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
	const early = "new != null && new.?status.?phase.orValue('') == 'Running' && new.status.readyReplicas < new.spec.replicas"
	for name, tc := range map[string]struct {
		expression  string
		before, now any
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
		"optional access of null":   {"new.?status.phase.orValue('') == ''", webapp("Running", 2, 2), nil, true},
		"what the profile claims":   {"new.status.phase == claims.events.created", nil, webapp("Created", 2, 2), true},
		"all that are there":        {"all.exists(o, o.status.phase == 'Failed')", nil, webapp("Running", 2, 2), true},
	} {
		t.Run(name, func(t *testing.T) {
			compiled, err := compile("never", tc.expression)
			if err != nil {
				t.Fatal(err)
			}
			got, err := compiled.holds(facts{
				before: tc.before, after: tc.now, all: []any{webapp("Failed", 0, 2)},
				claims: map[string]any{"events": map[string]any{"created": "Created"}},
			})
			if err != nil || got != tc.want {
				t.Errorf("holds = %t, %v; want %t", got, err, tc.want)
			}
		})
	}
}

func TestWhatCannotBeEvaluatedIsAnError(t *testing.T) {
	for name, expression := range map[string]string{
		"a field that is absent": "new.status.phase == 'Running'",
		"an object that is gone": "old.status.phase == 'Running'",
		"another type":           "new.spec.replicas",
	} {
		t.Run(name, func(t *testing.T) {
			compiled, err := compile("never", expression)
			if err != nil {
				t.Fatal(err)
			}
			held, err := compiled.holds(facts{after: map[string]any{"spec": map[string]any{"replicas": int64(2)}}})
			if err == nil || held {
				t.Errorf("holds = %t, %v; want an error", held, err)
			}
		})
	}
}

// TestAlternatives: of a rule with several alternatives, the one that came true is
// named.
func TestAlternatives(t *testing.T) {
	for name, tc := range map[string]struct{ expression, want string }{
		"the second":        {"new == null || new.replicas == 2 || new.name == 'b||c'", "new.replicas == 2"},
		"the text has bars": {"new == null || new.name == 'a||b'", "new.name == 'a||b'"},
		"in brackets":       {"new == null || (new.replicas == 1 || new.replicas == 2)", "(new.replicas == 1 || new.replicas == 2)"},
		"optional fields":   {"new.?gone.orValue(1) == 2 || new.?replicas.orValue(0) == 2", "new.?replicas.orValue(0) == 2"},
		"one alone":         {"new.replicas == 2", ""},
		"a condition":       {"new == null ? true : new.replicas == 2 || new.replicas == 3", ""},
		"what binds more":   {"new == null || new.replicas == 2 && new.name == 'a||b'", "new.replicas == 2 && new.name == 'a||b'"},
		"with a condition before them": {
			"new != null && (new.replicas == 1 || new.replicas == 2)", "new != null && new.replicas == 2",
		},
		"with two groups": {
			"(new == null || new.name == 'a||b') && (new.replicas == 1 || new.replicas == 2)", "(new == null || new.name == 'a||b') && new.replicas == 2",
		},
		"with something after them": {"new != null && (new.replicas == 1 || new.replicas == 2) && (new.name != '')", ""},
		"one that has no value":     {"new.gone == 1 || new.replicas == 2", "new.replicas == 2"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := compile("never", tc.expression)
			if err != nil {
				t.Fatal(err)
			}
			f := facts{after: map[string]any{"replicas": int64(2), "name": "a||b"}}
			if held, err := r.holds(f); !held || err != nil {
				t.Fatalf("it does not hold: %v", err)
			}
			if got := r.cameTrue(f); got != tc.want {
				t.Errorf("came true: %q, want %q", got, tc.want)
			}
		})
	}
}
