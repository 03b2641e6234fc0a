package trial

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func TestChildThatOutlivesItsOwner(t *testing.T) {
	owner := status(t, "50", 0, "{}")
	owner.gone = true
	owned := func(number, more string) version {
		v := versionOf(t, "children", number, 0, "metadata: {uid: c"+more+"}")
		v.SetOwnerReferences([]metav1.OwnerReference{{UID: owner.GetUID(), Controller: ptr.To(true)}})
		return v
	}
	gone := owned("40", "")
	gone.gone = true
	late := owned("60", "")
	late.gone = true
	other := versionOf(t, "children", "10", 0, "metadata: {uid: c}")
	for name, tc := range map[string]struct {
		child []version
		want  string
	}{
		"it went before":               {[]version{owned("10", ""), gone}, ""},
		"it was being deleted":         {[]version{owned("10", ""), owned("40", ", deletionTimestamp: '2026-01-01T00:00:00Z'"), late}, ""},
		"the garbage collector had it": {[]version{owned("10", ""), late}, "left to the garbage collector"},
		"it was made afterwards":       {[]version{owned("55", ""), late}, "made after apps demo was gone"},
		"made anew afterwards":         {[]version{owned("10", ""), gone, owned("55", ""), late}, "made after"},
		"it is somebody else's":        {[]version{other}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := outlived(owner, tc.child)
			if got != tc.want && (tc.want == "" || !strings.Contains(got, tc.want)) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

// TestHadFinalizer: only a controller with a finalizer says that it cleans up before its object goes.
func TestHadFinalizer(t *testing.T) {
	owner := status(t, "50", 0, "{}")
	with := func(finalizers ...string) version {
		v := status(t, "10", 0, "{}")
		v.SetFinalizers(finalizers)
		return v
	}
	for name, tc := range map[string]struct {
		versions []version
		want     bool
	}{
		"never":                        {[]version{with(), owner}, false},
		"by the controller":            {[]version{with("example.com/cleanup"), with(), owner}, true},
		"only by the bench":            {[]version{with(ofOthers), owner}, false},
		"by both":                      {[]version{with(ofOthers, "example.com/cleanup"), owner}, true},
		"another object with its name": {[]version{versionOf(t, "apps", "10", 0, "metadata: {uid: other, finalizers: [example.com/cleanup]}"), owner}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := hadFinalizer(owner, tc.versions); got != tc.want {
				t.Errorf("hadFinalizer: %v, want %v", got, tc.want)
			}
		})
	}
}
