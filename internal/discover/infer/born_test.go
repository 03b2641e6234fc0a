package infer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// created is the request by which the controller made an object.
func created(seq int64, resource, uid string) history.Request {
	group := ""
	if resource == "deployments" {
		group = "apps"
	}
	return history.Request{Seq: seq, Verb: history.VerbCreate, Effect: history.EffectEffective, Group: group, Resource: resource, UID: types.UID(uid)}
}

// TestBorn: a field that has an effect only when the object is created is not a
// constant.
func TestBorn(t *testing.T) {
	const service = "kind: Service\nmetadata: {name: %s-web}\nspec: {ports: [{port: %d}]}"
	for name, tc := range map[string]struct {
		port, other int // of the Deployment, and of the Service, that were made with other values
		want        string
	}{
		"the port of its Pods":              {8124, 80, "port: spec.port"},
		"that of the Service":               {8080, 91, "servicePort: spec.tries"},
		"both":                              {8124, 91, "port: spec.port, servicePort: spec.tries"},
		"a constant":                        {8080, 80, ""},
		"a value that none of them was set": {8200, 82, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, "{}", "{}", "{}", "{}")
			deployed := fmt.Sprintf(deployment, 2, "shop:v1", tc.port, "", 2)
			r.Film = NewFilm(append(r.Film,
				frame(t, 3, fmt.Sprintf(service, "shop", 80)),
				frame(t, 71, strings.ReplaceAll(deployed, "shop-web", "born-web")),
				frame(t, 72, fmt.Sprintf(service, "born", tc.other)),
				frame(t, 73, "kind: Shop\nmetadata: {name: born}")))
			r.Account.Requests = append(r.Account.Requests, created(2, "services", "Service/shop-web"),
				created(21, "deployments", "Deployment/born-web"), created(22, "services", "Service/born-web"))
			r.Acts = append(r.Acts,
				Act{Deed: Change, Object: "shop", Path: "spec.port", To: int64(8124), After: 40, Until: 50, AfterSeq: 10, UntilSeq: 11},
				Act{Deed: Change, Object: "shop", Path: "spec.port", To: int64(8080), After: 50, Until: 60, AfterSeq: 11, UntilSeq: 12},
				Act{Deed: Change, Object: "shop", Path: "spec.tries", To: int64(91), After: 60, Until: 61, AfterSeq: 12, UntilSeq: 13},
				Act{Deed: Born, Object: "born", After: 70, Until: 80, AfterSeq: 20, UntilSeq: 30},
			)
			want := []FieldChange{{"spec.port", int64(8124)}, {"spec.tries", int64(91)}}
			if diff := cmp.Diff(want, r.WithoutEffect()); diff != "" {
				t.Fatalf("changed without success (-want +got):\n%s", diff)
			}
			var got []string
			fields := r.mappings(r.Main())
			for _, role := range []Role{RolePort, RoleServicePort} {
				if m, ok := fields[role]; ok {
					got = append(got, string(role)+": "+m.Field.Path)
					if words := m.inWords(); !strings.Contains(words, "a change of it was not followed") {
						t.Errorf("in words: %s", words)
					}
				}
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
		})
	}
}

// TestBornBesideAVariable: a change of the number shows in a variable. In the port it
// shows only on children that are created with it.
func TestBornBesideAVariable(t *testing.T) {
	r := story(t, "{}", "{}", "{}", "{}")
	text := fmt.Sprintf(deployment, 2, "shop:v1", 8124, "", 2)
	r.Film = NewFilm(append(r.Film,
		frame(t, 41, fmt.Sprintf(deployment, 3, "shop:v1", 8080, "{name: PORT, value: '8124'}", 3)),
		frame(t, 71, strings.ReplaceAll(text, "shop-web", "born-web")),
		frame(t, 73, "kind: Shop\nmetadata: {name: born}")))
	r.Account.Requests = append(r.Account.Requests, created(21, "deployments", "Deployment/born-web"))
	r.Acts = append(r.Acts,
		Act{Deed: Change, Object: "shop", Path: "spec.port", To: int64(8124), After: 40, Until: 50, AfterSeq: 10, UntilSeq: 11},
		Act{Deed: Change, Object: "shop", Path: "spec.args", To: "x-look", After: 40, Until: 50, AfterSeq: 10, UntilSeq: 11},
		Act{Deed: Born, Object: "born", After: 70, Until: 80, AfterSeq: 20, UntilSeq: 30},
	)
	if diff := cmp.Diff([]FieldChange{{"spec.port", int64(8124)}}, r.WithoutEffect()); diff != "" {
		t.Errorf("changed without success (-want +got):\n%s", diff)
	}
	if port := r.mappings(r.Main())[RolePort]; port.Field.Path != "spec.port" || !port.onlyAtCreation {
		t.Errorf("the port of its Pods: %+v", port)
	}
}

// TestBornBesideAService: the Service follows its port, and the Pods do not.
func TestBornBesideAService(t *testing.T) {
	const service = "kind: Service\nmetadata: {name: %s-web}\nspec: {ports: [{port: %d}]}"
	r := story(t, "{}", "{}", "{}", "{}")
	r.Film = NewFilm(append(r.Film,
		frame(t, 3, fmt.Sprintf(service, "shop", 8080)),
		frame(t, 41, fmt.Sprintf(service, "shop", 8124)),
		frame(t, 71, strings.ReplaceAll(fmt.Sprintf(deployment, 2, "shop:v1", 8124, "", 2), "shop-web", "born-web")),
		frame(t, 72, fmt.Sprintf(service, "born", 8124)),
		frame(t, 73, "kind: Shop\nmetadata: {name: born}")))
	r.Account.Requests = append(r.Account.Requests, created(2, "services", "Service/shop-web"),
		created(21, "deployments", "Deployment/born-web"), created(22, "services", "Service/born-web"))
	r.Acts = append(r.Acts,
		Act{Deed: Change, Object: "shop", Path: "spec.port", To: int64(8124), After: 40, Until: 50, AfterSeq: 10, UntilSeq: 11},
		Act{Deed: Born, Object: "born", After: 70, Until: 80, AfterSeq: 20, UntilSeq: 30},
	)
	fields := r.mappings(r.Main())
	if port := fields[RolePort]; port.Field.Path != "spec.port" || !port.onlyAtCreation {
		t.Errorf("the port of its Pods: %+v", port)
	}
	if own, ok := fields[RoleServicePort]; ok {
		t.Errorf("the Service has a port of its own: %+v", own)
	}
}

// TestFreeNumbers: a number that is the value of another field is not tried.
func TestFreeNumbers(t *testing.T) {
	number := apiextensionsv1.JSONSchemaProps{Type: "integer"}
	defaulted := apiextensionsv1.JSONSchemaProps{Type: "integer", Default: &apiextensionsv1.JSON{Raw: []byte("8082")}}
	narrow := apiextensionsv1.JSONSchemaProps{Type: "integer", Maximum: new(float64)}
	*narrow.Maximum = 8
	version := &apiextensionsv1.CustomResourceDefinitionVersion{Schema: &apiextensionsv1.CustomResourceValidation{
		OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{
			"spec": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
				"adminPort": number, "debugPort": number, "grpcPort": defaulted, "metricsPort": number, "port": number, "size": number, "tries": number, "narrow": narrow,
			}},
		}},
	}}
	got := map[string]any{}
	spec := map[string]any{"metricsPort": int64(8081), "port": int64(8080), "size": int64(2), "tries": int64(3), "narrow": int64(8)}
	for _, tried := range FieldChanges(version, spec, nil) {
		got[tried.Path] = tried.To
	}
	want := map[string]any{
		"spec.metricsPort": int64(8083), "spec.port": int64(8084), "spec.size": int64(4), "spec.tries": int64(5), "spec.narrow": int64(7),
		"spec.adminPort": int64(8123), "spec.debugPort": int64(8124), "spec.grpcPort": int64(8125),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// TestUnowned: an object without an owner was not left alone if the controller sent a
// write of it, even if the API server refused that write.
func TestUnowned(t *testing.T) {
	for name, tc := range map[string]struct {
		request history.Request
		want    v1alpha1.OwnershipPolicy
		tried   bool
	}{
		"it took it over":                {history.Request{Verb: history.VerbUpdate, Effect: history.EffectEffective, UID: "Deployment/late-web"}, v1alpha1.OwnershipAdopt, false},
		"it tried, and was refused":      {history.Request{Verb: history.VerbUpdate, Effect: history.EffectRefused, Code: 422, Message: "field is immutable"}, v1alpha1.OwnershipAdopt, true},
		"it tried to make its own":       {history.Request{Verb: history.VerbCreate, Effect: history.EffectRefused, Code: 409}, v1alpha1.OwnershipRefuse, false},
		"it wrote to another":            {history.Request{Verb: history.VerbUpdate, Effect: history.EffectRefused, Code: 422, Name: "other"}, v1alpha1.OwnershipRefuse, false},
		"it has changed nothing of it":   {history.Request{Verb: history.VerbUpdate, Effect: history.EffectNoop, UID: "Deployment/late-web"}, v1alpha1.OwnershipRefuse, false},
		"it only read what has the name": {history.Request{Verb: history.VerbGet}, v1alpha1.OwnershipRefuse, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, "{}", "{}", "{}", "{}")
			r.Film = NewFilm(append(r.Film, frame(t, 50, "kind: Deployment\nmetadata: {name: late-web, labels: {"+StrangerLabel+": 'true'}}\nspec: {replicas: 2}")))
			r.Acts = append(r.Acts, Act{Deed: Occupy, Object: "late", After: 51, Until: 60, AfterSeq: 10, UntilSeq: 20})
			q := tc.request
			q.Seq, q.Group, q.Resource = 11, "apps", "deployments"
			if q.Name == "" {
				q.Name = "late-web"
			}
			r.Account.Requests = append(r.Account.Requests, q)
			got := r.unowned()
			if got.policy != tc.want || (got.tried != "") != tc.tried || got.overwritten != "" {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestOverwritten: a controller that changes an object without an owner, and does not become
// its owner, neither refuses nor adopts it. The requirements judge that, so it is a doubt.
func TestOverwritten(t *testing.T) {
	const owned = "[{kind: Shop, name: late}]"
	update := history.Request{Seq: 11, Group: "apps", Resource: "deployments", Name: "late-web", Verb: history.VerbUpdate, Effect: history.EffectEffective, UID: "Deployment/late-web"}
	deletion := update
	deletion.Verb = history.VerbDelete
	for name, tc := range map[string]struct {
		request   history.Request
		reference bool   // its own children have an owner reference
		owners    string // of the object afterwards
		want      v1alpha1.OwnershipPolicy
		doubt     bool
	}{
		"changed, and not owned":              {update, true, "[]", v1alpha1.OwnershipRefuse, true},
		"changed, and owned by somebody else": {update, true, "[{kind: Blog, name: late}]", v1alpha1.OwnershipRefuse, true},
		"changed, and owned":                  {update, true, owned, v1alpha1.OwnershipAdopt, false},
		"changed, and no child has an owner":  {update, false, "[]", v1alpha1.OwnershipAdopt, false},
		"deleted, and made anew":              {deletion, true, owned, v1alpha1.OwnershipRefuse, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, "{}", "{}", "{}", "{}")
			if tc.reference {
				for n := range r.Film {
					if r.Film[n].Object.GetKind() == "Deployment" {
						r.Film[n].Object.SetOwnerReferences([]metav1.OwnerReference{{Kind: "Shop", Name: "shop"}})
					}
				}
			}
			const stranger = "kind: Deployment\nmetadata: {name: late-web, labels: {" + StrangerLabel + ": 'true'}, ownerReferences: %s}\nspec: {replicas: %d}"
			r.Film = NewFilm(append(r.Film, frame(t, 50, fmt.Sprintf(stranger, "[]", 2)), frame(t, 55, fmt.Sprintf(stranger, tc.owners, 3))))
			r.Acts = append(r.Acts, Act{Deed: Occupy, Object: "late", After: 51, Until: 60, AfterSeq: 10, UntilSeq: 20})
			r.Account.Requests = append(r.Account.Requests, tc.request)
			f := &finder{Findings: Findings{Notes: map[string]Note{}, Asked: map[string][]Question{}}, Record: r, workload: r.MainWorkload()}
			f.findUnowned()
			if f.Spec.Claims.Unowned != tc.want || len(f.Doubts) > 0 != tc.doubt || r.LeavesStrangers() {
				t.Errorf("%s, doubts: %+v, leaves strangers: %t", f.Spec.Claims.Unowned, f.Doubts, r.LeavesStrangers())
			}
		})
	}
}

// TestOwnedAgain: a controller adopts by labels if it leaves an object alone that only
// has the name of its child, but owns its child again.
func TestOwnedAgain(t *testing.T) {
	const (
		child = "kind: Deployment\nmetadata: {name: late-web, ownerReferences: %s}\nspec: {replicas: %d}"
		owned = "[{kind: Shop, name: late}]"
	)
	write := history.Request{Seq: 31, Verb: history.VerbUpdate, Effect: history.EffectEffective, UID: "Deployment/late-web"}
	status := write
	status.Subresource = "status"
	for name, tc := range map[string]struct {
		stranger bool // the one without labels is taken
		owners   string
		uid      types.UID
		requests []history.Request
		want     v1alpha1.OwnershipPolicy
		byLabels bool
	}{
		"owned again":              {false, owned, "", []history.Request{write}, v1alpha1.OwnershipAdopt, true},
		"changed, and not owned":   {false, "[]", "", []history.Request{write}, v1alpha1.OwnershipRefuse, false},
		"owned by somebody else":   {false, "[{kind: Blog, name: late}]", "", []history.Request{write}, v1alpha1.OwnershipRefuse, false},
		"owned by another object":  {false, "[{kind: Shop, name: other}]", "", []history.Request{write}, v1alpha1.OwnershipRefuse, false},
		"not by the controller":    {false, owned, "", []history.Request{status}, v1alpha1.OwnershipRefuse, false},
		"deleted, and made anew":   {false, owned, "another", []history.Request{write}, v1alpha1.OwnershipRefuse, false},
		"it takes any of the name": {true, owned, "", []history.Request{write}, v1alpha1.OwnershipAdopt, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, "{}", "{}", "{}", "{}")
			after := frame(t, 75, fmt.Sprintf(child, tc.owners, 3))
			if tc.uid != "" {
				after.Object.SetUID(tc.uid)
			}
			r.Film = NewFilm(append(r.Film, frame(t, 50, "kind: Deployment\nmetadata: {name: stranger, labels: {"+StrangerLabel+": 'true'}}"),
				frame(t, 65, fmt.Sprintf(child, owned, 2)), frame(t, 72, fmt.Sprintf(child, "[]", 2)), after))
			r.Acts = append(r.Acts,
				Act{Deed: Occupy, Object: "early", After: 51, Until: 60, AfterSeq: 10, UntilSeq: 20},
				Act{Deed: Rehearse, Object: "late", After: 61, Until: 69, AfterSeq: 20, UntilSeq: 30},
				Act{Deed: Disown, Object: "late", Path: "spec.size", To: int64(3), After: 70, Until: 79, AfterSeq: 30, UntilSeq: 40})
			r.Account.Requests = append(r.Account.Requests, created(25, "deployments", "Deployment/late-web"))
			r.Account.Requests = append(r.Account.Requests, tc.requests...)
			if tc.stranger {
				r.Account.Requests = append(r.Account.Requests, history.Request{Seq: 15, Verb: history.VerbUpdate, Effect: history.EffectEffective, UID: "Deployment/stranger"})
			}
			got := r.unowned()
			if got.policy != tc.want || got.byLabels != tc.byLabels {
				t.Errorf("%+v, want %s, %t", got, tc.want, tc.byLabels)
			}
		})
	}
}

// TestHasProbe: a label of the object is found again in the labels and annotations of a
// child, also under another name.
func TestHasProbe(t *testing.T) {
	for text, want := range map[string]bool{
		"{metadata: {annotations: {" + ProbeLabel + ": " + ProbeValue + "}}}":                              true,
		"{metadata: {labels: {look: " + ProbeValue + "}}}":                                                 true,
		"{spec: {template: {metadata: {annotations: {a: b, copied/look: " + ProbeValue + "}}}}}":           true,
		"{spec: {volumeClaimTemplates: [{metadata: {labels: {" + ProbeLabel + ": " + ProbeValue + "}}}]}}": true,
		"{metadata: {annotations: {of: '{\"" + ProbeLabel + "\": \"" + ProbeValue + "\"}'}}}":              false,
		"{spec: {selector: {a: " + ProbeValue + "}}}":                                                      false,
		"{metadata: {labels: {" + ProbeLabel + ": other}}}":                                                false,
	} {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(text), &object); err != nil {
			t.Fatal(err)
		}
		if got := hasProbe(object); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}

// TestCopiedTo: metadata is copied if that was seen of one object. Another one may be in a
// state that no reconcile gets through.
func TestCopiedTo(t *testing.T) {
	for name, tc := range map[string]struct {
		first, second string
		want          string
	}{
		"of both":            {ProbeValue, ProbeValue, "Deployment shop-web"},
		"of the second only": {"none", ProbeValue, "Deployment second-web"},
		"of none":            {"none", "none", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, "{}", "{}", "{}", "{}")
			child := "kind: Deployment\nmetadata: {name: %s-web, annotations: {look: %s}}"
			r.Film = NewFilm(append(r.Film, frame(t, 45, fmt.Sprintf(child, "shop", tc.first)), frame(t, 55, fmt.Sprintf(child, "second", tc.second))))
			r.Acts = append(r.Acts, Act{Deed: Label, Object: "shop", After: 40, Until: 50}, Act{Deed: Label, Object: "second", After: 50, Until: 60})
			got := ""
			if ref, copied := r.copiedTo(); copied {
				got = ref.String()
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
