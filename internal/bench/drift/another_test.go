package drift

import (
	"strings"
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
		"a boolean":                  {keys("spec", "publish"), false, []any{true}},
		"a Secret that nobody edits": {keys("immutable"), false, nil},
		"immutable somewhere else":   {keys("spec", "immutable"), false, []any{true}},
		"a number":                   {keys("spec", "replicas"), int64(2), []any{int64(3), int64(1)}},
		"a word":                     {keys("spec", "title"), "shop", []any{"shop-changed", "changed", "7m"}},
		"a long word":                {keys("spec", "title"), strings.Repeat("x", longest+1), []any{"changed", "7m"}},
		"a list: its first entry":    {keys("spec", "sizes"), []any{int64(2), int64(5)}, []any{[]any{int64(3), int64(5)}, []any{int64(1), int64(5)}}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, another(tc.path, tc.value)); diff != "" {
				t.Errorf("other values (-want +got):\n%s", diff)
			}
		})
	}
}
