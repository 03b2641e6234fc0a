package history_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"reconform.dev/reconform/internal/record/history"
)

func TestOwnerIs(t *testing.T) {
	kind := schema.GroupKind{Group: "apps.kubedojo.io", Kind: "WebApp"}
	for name, tc := range map[string]struct {
		owner history.Owner
		want  bool
	}{
		"the kind":                  {history.Owner{APIVersion: "apps.kubedojo.io/v1beta1", Kind: "WebApp"}, true},
		"another version of it":     {history.Owner{APIVersion: "apps.kubedojo.io/v1", Kind: "WebApp"}, true},
		"another kind":              {history.Owner{APIVersion: "apps.kubedojo.io/v1", Kind: "Shop"}, false},
		"its name in another group": {history.Owner{APIVersion: "other.example/v1", Kind: "WebApp"}, false},
		"its name in the core":      {history.Owner{APIVersion: "v1", Kind: "WebApp"}, false},
		"recorded without a group":  {history.Owner{Kind: "WebApp"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tc.owner.Is(kind); got != tc.want {
				t.Errorf("got %t, want %t", got, tc.want)
			}
		})
	}
}
