package infer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"reconform.dev/reconform/internal/record/history"
)

func TestTemplate(t *testing.T) {
	for name, tc := range map[string]struct {
		seen []naming
		want string
		fits bool
	}{
		"the object's own": {
			[]naming{{object: "one", child: "one"}, {object: "two", child: "two"}},
			"{{ .name }}", true,
		},
		"with a suffix": {
			[]naming{{object: "one", child: "one-web"}, {object: "two", child: "two-web"}},
			"{{ .name }}-web", true,
		},
		"a field of the spec": {
			[]naming{
				{object: "one", values: map[string]string{"spec.deployment": "shop"}, child: "shop"},
				{object: "two", values: map[string]string{"spec.deployment": "home"}, child: "home"},
			},
			"{{ .spec.deployment }}", true,
		},
		"always the same": {
			[]naming{{object: "one", child: "webapp"}},
			"webapp", true,
		},
		"a field that happens to be the same": {
			[]naming{
				{object: "one", values: map[string]string{"spec.tier": "web"}, child: "web-one"},
				{object: "two", values: map[string]string{"spec.tier": "db"}, child: "web-two"},
			},
			"web-{{ .name }}", true,
		},
		"a field that happens to equal it each time": {
			[]naming{
				{object: "one", values: map[string]string{"spec.labels.component": "server"}, child: "server"},
				{object: "two", values: map[string]string{"spec.labels.component": "server"}, child: "server"},
			},
			"server", true,
		},
		"a field that happens to be a part of it": {
			[]naming{
				{object: "one", values: map[string]string{"spec.tier": "app"}, child: "one-app"},
				{object: "two", values: map[string]string{"spec.tier": "app"}, child: "two-app"},
			},
			"{{ .name }}-app", true,
		},
		"a word of the only object": {
			[]naming{{object: "one", values: map[string]string{"spec.transport": "http"}, child: "http-server"}},
			"http-server", true,
		},
		"a field that gives a part of it": {
			[]naming{
				{object: "one", values: map[string]string{"spec.tier": "web"}, child: "run-web"},
				{object: "two", values: map[string]string{"spec.tier": "db"}, child: "run-db"},
			},
			"run-{{ .spec.tier }}", true,
		},
		"no template": {
			[]naming{{object: "one", child: "a1b2"}, {object: "two", child: "c3d4"}},
			"a1b2", false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got, fits := template(tc.seen); got != tc.want || fits != tc.fits {
				t.Errorf("template = %q, %t, want %q, %t", got, fits, tc.want, tc.fits)
			}
		})
	}
}

// TestNoTemplate: a controller whose children have names that no profile can say gets a
// profile without a contract. Otherwise each requirement would look for a child that no
// object has. Its edits are the changes that its children followed.
func TestNoTemplate(t *testing.T) {
	for name, tc := range map[string]struct {
		children string // of the first object, of the second one, and of one as scenarios write it
		want     string
	}{
		"named after the object": {"first-web second-web tried-web", ""},
		"one name":               {"web web web", ""},
		"beside another":         {"first-web,first-api second-web,second-api tried-web,tried-api", ""},
		"generated":              {"first-x7k2p second-9q4zt tried-b5v8n", "no template gives the names of each Deployment (first-x7k2p, second-9q4zt, tried-b5v8n), and a contract needs one"},
		"a hash of the name":     {"s-1f3870be s-d2d2d2d2 s-00aa11bb", "no template gives the names of each Deployment (s-1f3870be, s-d2d2d2d2, s-00aa11bb), and a contract needs one"},
		"a hash of the spec":     {"first-77 second-77 tried-31", "no template gives the names of each Deployment (first-77, second-77, tried-31), and a contract needs one"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Record{Kind: "Shop", Version: &apiextensionsv1.CustomResourceDefinitionVersion{Name: "v1"}, CRD: &apiextensionsv1.CustomResourceDefinition{}, Command: []string{"bin/shop"}}
			r.CRD.Spec.Group, r.CRD.Spec.Names.Kind, r.CRD.Spec.Names.Plural = "example.com", "Shop", "shops"
			var frames []Frame
			add := func(act Act, child, image string) {
				version := int64(10 * (len(r.Acts) + 1))
				frames = append(frames, frame(t, int(version)+1, "kind: Shop\nmetadata: {name: "+act.Object+"}"))
				for n, name := range strings.Split(child, ",") { // the fields decide about the first only
					of := image
					if n > 0 {
						of = "shop:v1"
					}
					object := frame(t, int(version)+1, strings.Replace(fmt.Sprintf(deployment, 2, of, 8080, "", 2), "shop-web", name, 1))
					frames = append(frames, object)
					q := history.Request{Seq: version, Verb: history.VerbUpdate, Effect: history.EffectEffective, Group: "apps", Resource: "deployments", UID: object.Object.GetUID()}
					if act.Deed != Change {
						q.Verb = history.VerbCreate
					}
					r.Account.Requests = append(r.Account.Requests, q)
				}
				act.After, act.Until, act.AfterSeq, act.UntilSeq = version, version+2, version-1, version+2
				r.Acts = append(r.Acts, act)
			}
			spec := func(image string) map[string]any { return map[string]any{"image": image, "size": int64(2)} }
			names := strings.Fields(tc.children)
			add(Act{Deed: Create, Object: "first", To: spec("shop:v1")}, names[0], "shop:v1")
			add(Act{Deed: Change, Object: "first", Path: "spec.image", To: "shop:v2"}, names[0], "shop:v2")
			add(Act{Deed: Create, Object: "second", To: spec("shop:v1")}, names[1], "shop:v1")
			add(Act{Deed: Born, Object: "born", To: spec("shop:v4")}, "named-after-its-image", "shop:v4") // which no scenario does
			add(Act{Deed: Rehearse, Object: "tried", To: spec("shop:v3")}, names[2], "shop:v3")
			hinder := Act{Deed: Hinder, Object: "fourth", AfterSeq: 100, UntilSeq: 200}
			for n := range 4 { // one attempt each 5 s
				r.Account.Requests = append(r.Account.Requests, history.Request{
					Seq: int64(101 + n), Verb: history.VerbCreate, Effect: history.EffectRefused, Code: 500, Fault: "hinder", Group: "apps", Resource: "deployments", Time: time.Unix(int64(5*n), 0),
				})
			}
			r.Acts, r.Film = append(r.Acts, hinder), NewFilm(frames)
			got := r.NoTemplate()
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Fatalf("why there is no contract (-want +got):\n%s", diff)
			}
			if r.Workless = got; got == "" {
				return
			}
			found, err := Find(r)
			if err != nil {
				t.Fatal(err)
			}
			if times := found.Spec.Claims.Times; times.LongestRetryPause.Duration != 10*time.Second { // twice what was seen
				t.Errorf("pauses: %v, and the failure was tried", times)
			}
			if edits := found.Spec.Serves[0].Edits; len(edits) != 1 || string(edits[0].Patch.Raw) != `{"spec":{"image":"shop:v2"}}` {
				t.Errorf("edits: %s", edits)
			}
		})
	}
}

// TestServiceWithoutTemplate: a Service whose name no profile can say is left out, and asked about.
func TestServiceWithoutTemplate(t *testing.T) {
	for name, tc := range map[string]struct {
		services string
		want     string // the template, or the question
	}{
		"named after the object": {"first-web second-web", "{{ .name }}-web"},
		"generated":              {"web-x7k2p web-9q4zt", "it made Service web-x7k2p, but the names were web-x7k2p, web-9q4zt, and no template gives them all. Without it, requirements about a Service are skipped"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Record{Kind: "Shop", Version: &apiextensionsv1.CustomResourceDefinitionVersion{Name: "v1"}, CRD: &apiextensionsv1.CustomResourceDefinition{}, Command: []string{"bin/shop"}}
			var frames []Frame
			for n, service := range strings.Fields(tc.services) {
				object, version := []string{"first", "second"}[n], 10*(n+1)
				child := frame(t, version+1, strings.Replace(fmt.Sprintf(deployment, 2, "shop:v1", 8080, "", 2), "shop-web", object, 1))
				if err := unstructured.SetNestedField(child.Object.Object, object, "spec", "template", "metadata", "labels", "shop"); err != nil {
					t.Fatal(err)
				}
				reaches := frame(t, version+1, "kind: Service\nmetadata: {name: "+service+"}\nspec: {selector: {shop: "+object+"}, ports: [{port: 80, targetPort: 8080}]}")
				frames = append(frames, frame(t, version+1, "kind: Shop\nmetadata: {name: "+object+"}"), child, reaches)
				for _, made := range []Frame{child, reaches} {
					r.Account.Requests = append(r.Account.Requests, history.Request{Seq: int64(version), Verb: history.VerbCreate, Effect: history.EffectEffective, UID: made.Object.GetUID()})
				}
				r.Acts = append(r.Acts, Act{Deed: Create, Object: object, To: map[string]any{}, After: int64(version), Until: int64(version + 2), AfterSeq: int64(version - 1), UntilSeq: int64(version)})
			}
			r.Film = NewFilm(frames)
			found, err := Find(r)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if service := found.Spec.Contract.Children.Service; service != nil {
				got = service.Name
			}
			for _, question := range found.Asked["contract.children.service"] {
				got += question.Text
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("Service (-want +got):\n%s", diff)
			}
		})
	}
}
