package trial

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// TestMixedHarm: an object, or a child of it, must not name another object of the same kind for a
// while.
func TestMixedHarm(t *testing.T) {
	const service, own = "services demo", "webapps.apps demo"
	right, wrong := "{spec: {selector: {name: demo}}}", "{spec: {selector: {name: demo-2}}}"
	for name, tc := range map[string]struct {
		spec     string // of the first object; the other one has the same
		key      string
		owner    types.UID
		versions []string
		gone     bool // the other object is gone at the end
		want     []string
	}{
		"never":                      {key: service, owner: "1", versions: []string{right, right}},
		"for a while":                {key: service, owner: "1", versions: []string{wrong, right}, want: []string{service}},
		"in between":                 {key: service, owner: "1", versions: []string{right, wrong, right}, want: []string{service}},
		"at the end, too":            {key: service, owner: "1", versions: []string{right, wrong}},
		"the other one is gone":      {key: service, owner: "1", versions: []string{wrong, right}, gone: true},
		"nobody owns it":             {key: service, versions: []string{wrong, right}},
		"a child of the other one":   {key: "services demo-2", owner: "2", versions: []string{right, wrong}, want: []string{"services demo-2"}},
		"its own name is longer":     {key: "services demo-2", owner: "2", versions: []string{wrong, "{spec: {selector: {name: web}}}"}},
		"the user wrote it":          {key: "services demo-2", owner: "2", spec: "{image: demo}", versions: []string{"{spec: {image: demo}}", "{spec: {image: web}}"}},
		"a label":                    {key: service, owner: "1", versions: []string{"{metadata: {labels: {app: demo-2}}}", "{metadata: {labels: {app: demo}}}"}, want: []string{service}},
		"the status of a child":      {key: service, owner: "1", versions: []string{"{status: {message: demo-2}}", "{}"}},
		"the status of the object":   {key: own, versions: []string{"{status: {url: http://demo-2}}", "{status: {url: http://demo}}"}, want: []string{own}},
		"its name with a hash":       {key: own, versions: []string{"{status: {pod: demo-2f9c7}}", "{}"}},
		"with another number":        {key: service, owner: "1", versions: []string{"{spec: {selector: {name: demo-24}}}", right}},
		"at the end of a word":       {key: own, versions: []string{"{status: {pod: mydemo-2}}", "{}"}},
		"after a hash":               {key: own, versions: []string{"{status: {pods: demo-2f9c7 demo-2-web}}", "{}"}, want: []string{own}},
		"a status that names it all": {key: own, versions: []string{"{status: {peer: demo-2}}", "{status: {peer: demo-2.svc}}"}},
	} {
		t.Run(name, func(t *testing.T) {
			versions := map[string][]version{}
			created := []string{own, "webapps.apps demo-2"}
			for i, key := range created {
				object := owned(t, key, "{spec: "+orNothing(tc.spec)+"}", "")
				object.SetUID(types.UID([]string{"1", "2"}[i]))
				object.gone = i == 1 && tc.gone
				versions[key] = []version{object}
			}
			var changing []version
			for _, text := range tc.versions {
				v := owned(t, tc.key, text, tc.owner)
				if slices.Contains(created, tc.key) {
					v.SetUID("1")
				}
				changing = append(changing, v)
			}
			versions[tc.key] = changing
			var got []string
			for _, d := range mixedHarm(versions, created) {
				got = append(got, d.Object)
				if d.Path != HarmMixed || !strings.Contains(d.Found, "for a while") {
					t.Errorf("it says %q of %s", d.Found, d.Path)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("harm (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMixedOwner: a child that has the reference to another object for a while is told.
func TestMixedOwner(t *testing.T) {
	of := func(name string, uid types.UID) version {
		v := owned(t, "services demo", "{}", "")
		v.SetOwnerReferences([]metav1.OwnerReference{{Kind: "WebApp", Name: name, UID: uid}})
		return v
	}
	one, other := owned(t, "webapps.apps demo", "{}", ""), owned(t, "webapps.apps demo-2", "{}", "")
	one.SetUID("1")
	other.SetUID("2")
	versions := map[string][]version{one.key(): {one}, other.key(): {other}, "services demo": {of("demo-2", "2"), of("demo", "1")}}
	found := mixedHarm(versions, []string{one.key(), other.key()})
	if len(found) != 1 || !strings.Contains(found[0].Found, `metadata.ownerReferences[0].name was "demo-2"`) {
		t.Errorf("harm: %v", found)
	}
}

func orNothing(text string) string {
	if text == "" {
		return "{}"
	}
	return text
}
