package render

import "testing"

// TestFill: the name of a primary and the namespace of the scenario take the places that are
// kept for them.
func TestFill(t *testing.T) {
	for text, tc := range map[string]struct{ name, want string }{
		"plain":                                    {"demo", "plain"},
		placeholder:                                {"demo", "demo"},
		placeholder + "-app":                       {"demo", "demo-app"},
		"of " + placeholder:                        {"($name)", "(join('', ['of ', $name]))"},
		ownNamespace:                               {"demo", "($namespace)"},
		"in " + ownNamespace + "/":                 {"demo", "(join('', ['in ', $namespace, '/']))"},
		placeholder + " in " + ownNamespace:        {"demo", "(join('', ['demo in ', $namespace]))"},
		placeholder + ownNamespace + placeholder:   {"($name)", "(join('', [$name, $namespace, $name]))"},
		"it's " + placeholder + ownNamespace + "'": {"demo", "(join('', [`\"it's demo\"`, $namespace, `\"'\"`]))"},
	} {
		if got := fill(text, tc.name); got != tc.want {
			t.Errorf("%q with %s: %s, want %s", text, tc.name, got, tc.want)
		}
	}
}
