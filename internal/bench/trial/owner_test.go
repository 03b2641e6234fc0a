package trial

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"reconform.dev/reconform/conformance/api/v1alpha1"
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

// TestAdoptedHarm: a child that stays when its owner is deleted must not get the reference to
// it again.
func TestAdoptedHarm(t *testing.T) {
	owner := func(number string, ending bool) version {
		v := versionOf(t, "apps", number, 0, "metadata: {uid: own}")
		if ending {
			v.SetDeletionTimestamp(&metav1.Time{Time: began})
		}
		return v
	}
	child := func(number, uid string, owned bool) version {
		v := versionOf(t, "children", number, 0, "metadata: {uid: "+uid+"}")
		if owned {
			v.SetOwnerReferences([]metav1.OwnerReference{{Kind: "App", Name: "demo", UID: "own", Controller: ptr.To(true)}})
		}
		return v
	}
	for name, tc := range map[string]struct {
		owner, child []version
		want         int
	}{
		"it stays alone":            {[]version{owner("5", false), owner("20", true)}, []version{child("10", "a", true), child("21", "a", false)}, 0},
		"it is adopted again":       {[]version{owner("5", false), owner("20", true)}, []version{child("10", "a", true), child("21", "a", false), child("22", "a", true)}, 1},
		"while the owner lives":     {[]version{owner("5", false)}, []version{child("10", "a", true), child("21", "a", false), child("22", "a", true)}, 0},
		"before the deletion":       {[]version{owner("5", false), owner("30", true)}, []version{child("10", "a", true), child("21", "a", false), child("22", "a", true)}, 0},
		"it was never its child":    {[]version{owner("5", false), owner("20", true)}, []version{child("21", "a", false), child("22", "a", true)}, 0},
		"one that was made anew":    {[]version{owner("5", false), owner("20", true)}, []version{child("10", "a", true), child("21", "b", false), child("22", "b", true)}, 0},
		"nothing is seen of either": {nil, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := adoptedHarm(map[string][]version{"apps demo": tc.owner, "children demo": tc.child})
			if len(got) != tc.want || tc.want > 0 && (got[0].Object != "children demo" || got[0].Path != HarmAdopted) {
				t.Errorf("harms: %+v, want %d", got, tc.want)
			}
		})
	}
}

// TestOneCauseIsToldOnce: a reference that is gone is told by the versions of the child. The
// rule that says the same tells of other children only.
func TestOneCauseIsToldOnce(t *testing.T) {
	harm := func(object, path string) v1alpha1.Divergence {
		return v1alpha1.Divergence{Kind: v1alpha1.DivergenceHarm, Object: object, Path: path}
	}
	all := []v1alpha1.Divergence{
		harm("services demo", v1alpha1.RuleDisowned), harm("services demo", v1alpha1.RuleCrashed),
		harm("secrets demo", v1alpha1.RuleDisowned), harm("services demo", HarmOwner),
	}
	if diff := cmp.Diff(all[1:], withoutDisowned(slices.Clone(all))); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}
