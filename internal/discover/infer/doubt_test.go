package infer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/internal/record/history"
)

// storyWithoutEffect returns a story in which only the change of the size had an
// effect. The object has this spec. Its image, port and tier were changed, too.
func storyWithoutEffect(t *testing.T, spec string) *Record {
	t.Helper()
	r := story(t, "{}", "{}", "{}", "{}")
	r.Film = NewFilm(append(r.Film, frame(t, 15, "kind: Shop\nmetadata: {name: shop, generation: 1}\nspec: "+spec)))
	r.Acts = append(r.Acts,
		Act{Deed: Change, Object: "shop", Path: "spec.image", To: "shop:v2", After: 40, Until: 50, AfterSeq: 10, UntilSeq: 11},
		Act{Deed: Change, Object: "shop", Path: "spec.port", To: int64(8124), After: 50, Until: 60, AfterSeq: 11, UntilSeq: 12},
		Act{Deed: Change, Object: "shop", Path: "spec.tier", To: int64(9), After: 60, Until: 61, AfterSeq: 12, UntilSeq: 13},
	)
	return r
}

// TestKept: a field that has the same value as a child, although no change of it is
// followed, is taken for the field of that role. It is not if another object shows the
// contrary.
func TestKept(t *testing.T) {
	refused := Act{Deed: Born, Object: "born", After: 70, Until: 80, AfterSeq: 20, UntilSeq: 30, Refused: "no"}
	for name, tc := range map[string]struct {
		spec string
		born *Act
		want string
	}{
		"both fields":                  {"{image: 'shop:v1', port: 8080, tier: 1}", nil, "image: spec.image, port: spec.port"},
		"another one was refused":      {"{image: 'shop:v1', port: 8080, tier: 1}", &refused, "image: spec.image, port: spec.port"},
		"the child had another image":  {"{image: 'blog:v1', port: 8080, tier: 1}", nil, "port: spec.port"},
		"a number that is not a port":  {"{image: 'shop:v1', tier: 8080}", nil, "image: spec.image"},
		"a number that is not a size":  {"{image: 'blog:v1', tier: 2}", nil, ""},
		"another one shows that it is": {"{image: 'shop:v1', port: 8080, tier: 1}", &Act{Deed: Born, Object: "born", After: 70, Until: 80, AfterSeq: 20, UntilSeq: 30}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := storyWithoutEffect(t, tc.spec)
			if tc.born != nil {
				r.Acts = append(r.Acts, *tc.born)
				r.Film = NewFilm(append(r.Film, frame(t, 71, strings.ReplaceAll(fmt.Sprintf(deployment, 2, "shop:v1", 8080, "", 2), "shop-web", "born-web"))))
				r.Account.Requests = append(r.Account.Requests, created(21, "deployments", "Deployment/born-web"))
			}
			var got []string
			fields := r.mappings(r.Main())
			for _, role := range []Role{RoleImage, RolePort} {
				if m, ok := fields[role]; ok {
					got = append(got, string(role)+": "+m.Field.Path)
				}
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
			if replicas := fields[RoleReplicas]; replicas.Field.Path != "spec.size" || replicas.hadNoEffect() {
				t.Errorf("replicas: %+v", replicas)
			}
		})
	}
}

// TestShown: these fields are changed one by one in a new object if a new object with
// all changes was refused.
func TestShown(t *testing.T) {
	r := storyWithoutEffect(t, "{image: 'shop:v1', port: 8080, tier: 1}")
	want := []FieldChange{{"spec.image", "shop:v2"}, {"spec.port", int64(8124)}}
	if diff := cmp.Diff(want, r.LikelyAtCreation()); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
}

// TestDoubts: init reports what looks like a mistake, and what to write into the
// profile if it is intended.
func TestDoubts(t *testing.T) {
	r := storyWithoutEffect(t, "{image: 'shop:v1', port: 8080, tier: 1}")
	r.Acts = append(r.Acts,
		Act{Deed: Lose, Object: "other", After: 80, Until: 90, AfterSeq: 40, UntilSeq: 50},
		Act{Deed: Unserve, Object: "other", After: 85, Until: 90, AfterSeq: 46, UntilSeq: 50},
		Act{Deed: Delete, Object: "shop", After: 90, Until: 95, AfterSeq: 50, UntilSeq: 60},
	)
	r.Account.Requests = append(r.Account.Requests, history.Request{Verb: history.VerbWatch, Group: "apps", Resource: "deployments", Code: 200})
	f := &finder{Record: r, main: r.Main(), first: r.Acts[0], workload: r.MainWorkload(), container: "1", fields: r.mappings(r.Main())}
	f.deployment = r.Film.At(f.first.Until)[f.main]
	f.doubtWithoutEffect()
	f.doubtLost()
	var got []string
	for _, doubt := range f.Doubts {
		got = append(got, doubt.Path+": "+doubt.Text)
	}
	all := strings.Join(got, "\n")
	for _, want := range []string{
		"contract.spec.image: spec.image was changed, and the image of Deployment shop-web did not follow",
		"image: {constant: shop:v1}",
		"contract.spec.port: spec.port was changed, and the port of Deployment shop-web did not follow",
		"port: {constant: 8080}",
		"contract.children.deployment: the Deployment of other was deleted, and did not come back",
		"contract.children.service: the Service of other was deleted, and did not come back",
		"claims.cleanup: shop was deleted, and its Deployment shop-web stayed",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("it does not say %q:\n%s", want, all)
		}
	}
	if claimed := f.Doubts[0].Claimed; !strings.Contains(claimed, "did not follow. If") || strings.Contains(claimed, "shop:v1") {
		t.Errorf("to somebody who has a profile it says %q", claimed)
	}
	if len(got) != 5 {
		t.Errorf("%d doubts, want 5:\n%s", len(got), all)
	}
	r.Film = NewFilm(append(r.Film, frame(t, 94, "{kind: Shop, metadata: {name: shop, deletionTimestamp: '2026-11-30T10:00:00Z', finalizers: [example.com/stay]}}")))
	f.Doubts = nil
	f.doubtLost()
	const held = "shop was deleted, and neither it nor its Deployment shop-web went, because its finalizers stayed: example.com/stay. CD-001 judges that"
	if last := f.Doubts[len(f.Doubts)-1]; last.Text != held {
		t.Errorf("of an object that is held it says %q, want %q", last.Text, held)
	}
	r.Acts[len(r.Acts)-3].Object = "shop" // for which the Deployment comes back
	r.Account.Requests = append(r.Account.Requests, created(45, "deployments", "Deployment/shop-web"))
	f.Doubts = nil
	if f.doubtLost(); len(f.Doubts) != 2 {
		t.Errorf("doubts about what came back: %v", f.Doubts)
	}
	r.Film = NewFilm(append(r.Film, frame(t, 88, "{kind: Service, metadata: {name: shop-web}, spec: {ports: [{port: 8080}]}}")))
	r.Account.Requests = append(r.Account.Requests, created(48, "services", "Service/shop-web"))
	f.Doubts = nil
	if f.doubtLost(); len(f.Doubts) != 1 {
		t.Errorf("doubts after the Service came back, too: %v", f.Doubts)
	}
	// One that polls removes what is left over when it looks the next time.
	r.CRD = &apiextensionsv1.CustomResourceDefinition{}
	r.CRD.Spec.Group, r.CRD.Spec.Names.Plural = "example.com", "shops"
	look := history.Request{Seq: 61, Verb: history.VerbList, Group: "example.com", Resource: "shops", Code: 200}
	for n := range r.Account.Requests {
		if r.Account.Requests[n].Verb == history.VerbWatch {
			r.Account.Requests[n].Verb = history.VerbGet
		}
	}
	for looks, want := range []int{0, 0, 1} {
		if f.Doubts = nil; looks > 0 {
			r.Account.Requests = append(r.Account.Requests, look)
		}
		if f.doubtLost(); len(f.Doubts) != want {
			t.Errorf("%d looks of one that polls: doubts %v, want %d", looks, f.Doubts, want)
		}
	}
}

// TestSeveralHaveTheValue: if several fields had the value of a child, and nothing showed which of
// them decides about it, none is taken for it, and the profile says which they are.
func TestSeveralHaveTheValue(t *testing.T) {
	r := storyWithoutEffect(t, "{image: 'shop:v1', port: 8080, backend: {port: 8080}}")
	r.Unchanged = []string{"spec.backend.port"}
	fields := r.mappings(r.Main())
	if port, ok := fields[RolePort]; ok {
		t.Errorf("%s is taken for the port", port.Field.Path)
	}
	if image := fields[RoleImage]; image.Field.Path != "spec.image" {
		t.Errorf("the image is %+v", image.Field)
	}
	f := &finder{Record: r, fields: fields, main: r.Main()}
	const want = "spec.port and spec.backend.port had this value, and nothing showed which of them decides about it"
	if got := f.unchanged(RolePort); got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
	r = story(t, "{}", "{}", "{}", "{}")
	r.Film = NewFilm(append(r.Film, frame(t, 15, "kind: Shop\nmetadata: {name: shop}\nspec: {image: 'shop:v1'}")))
	r.Acts, r.Unchanged = r.Acts[:1], []string{"spec.image"}
	const untried = "spec.image had this value, and a change of it was not tried: if it decides about it, write its path"
	if got := (&finder{Record: r, main: r.Main()}).unchanged(RoleImage); got != untried {
		t.Errorf("of a field that was not tried it says %q, want %q", got, untried)
	}
}
