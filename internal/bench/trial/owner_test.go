package trial

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// TestOwnerHarm: a child must not be taken from an owner that lives, unless it goes to another
// one that lives.
func TestOwnerHarm(t *testing.T) {
	living := map[types.UID]bool{"new": true, "other": true, "old": false}
	for name, tc := range map[string]struct {
		owners []types.UID // of one version after the other; "" is none
		uids   []types.UID // of the child
		gone   bool        // the last version
		want   int
	}{
		"it stays":                  {owners: []types.UID{"new", "new"}},
		"to a past one":             {owners: []types.UID{"new", "old"}, want: 1},
		"to a past one, and back":   {owners: []types.UID{"new", "old", "new", "old"}, want: 1},
		"to none":                   {owners: []types.UID{"new", ""}, want: 1},
		"to another one that lives": {owners: []types.UID{"new", "other"}},
		"from a past one":           {owners: []types.UID{"old", "new"}},
		"from none":                 {owners: []types.UID{"", "new"}},
		"a child made anew":         {owners: []types.UID{"new", "old"}, uids: []types.UID{"a", "b"}},
		"it is deleted":             {owners: []types.UID{"new", "old"}, gone: true},
		"one version":               {owners: []types.UID{"new"}},
	} {
		t.Run(name, func(t *testing.T) {
			var versions []version
			for i, owner := range tc.owners {
				child := &unstructured.Unstructured{}
				child.SetUID("a")
				if tc.uids != nil {
					child.SetUID(tc.uids[i])
				}
				if owner != "" {
					child.SetOwnerReferences([]metav1.OwnerReference{{Kind: "WebApp", Name: "demo", UID: owner, Controller: ptr.To(true)}})
				}
				versions = append(versions, version{Unstructured: child, gone: tc.gone && i == len(tc.owners)-1})
			}
			got := ownerHarm(map[string][]version{"services demo": versions}, living)
			if len(got) != tc.want {
				t.Errorf("%d harms, want %d: %v", len(got), tc.want, got)
			}
		})
	}
	if got := ownerHarm(map[string][]version{"services demo": nil}, living); len(got) > 0 {
		t.Errorf("without a version: %v", got)
	}
}
