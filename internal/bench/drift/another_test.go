package drift

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAnother: each value that is tried can be set back.
func TestAnother(t *testing.T) {
	for name, tc := range map[string]struct {
		path  path
		value any
		want  []any
	}{
		"a truth":                    {keys("spec", "publish"), false, []any{true}},
		"a Secret that nobody edits": {keys("immutable"), false, nil},
		"immutable somewhere else":   {keys("spec", "immutable"), false, []any{true}},
		"a number":                   {keys("spec", "replicas"), int64(2), []any{int64(3), int64(1)}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, another(tc.path, tc.value)); diff != "" {
				t.Errorf("other values (-want +got):\n%s", diff)
			}
		})
	}
}
