package infer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// TestFindServed: if a controller makes nothing with a Pod template, the profile names
// what it serves, and changes of it. Each of these changes led to a write, and so did
// undoing it. Changes that led to a write of another object come first.
func TestFindServed(t *testing.T) {
	r := &Record{
		Kind: "Note", Version: &apiextensionsv1.CustomResourceDefinitionVersion{Name: "v1"}, CRD: &apiextensionsv1.CustomResourceDefinition{},
		Workless: "it made: configmaps", Command: []string{"bin/note"},
		Around: map[string]any{"metadata": map[string]any{"labels": map[string]any{"a": "{{ b }}"}}},
	}
	r.CRD.Spec.Group, r.CRD.Spec.Scope = "example.com", "Namespaced"
	r.CRD.Spec.Names.Kind, r.CRD.Spec.Names.Plural = "Note", "notes"
	act := func(deed Deed, path string, to any, refused string, writes ...history.Request) {
		a := Act{Deed: deed, Object: "first-look", Path: path, To: to, Refused: refused, AfterSeq: int64(len(r.Account.Requests))}
		for _, w := range writes {
			w.Seq = int64(len(r.Account.Requests)) + 1
			r.Account.Requests = append(r.Account.Requests, w)
		}
		a.UntilSeq = int64(len(r.Account.Requests))
		r.Acts = append(r.Acts, a)
	}
	status := history.Request{Verb: "update", Group: "example.com", Resource: "notes", Subresource: "status", Effect: history.EffectEffective}
	child := history.Request{Verb: "update", Resource: "configmaps", Effect: history.EffectEffective}
	event := history.Request{Verb: "create", Resource: "events", Effect: history.EffectEffective}
	noop := history.Request{Verb: "update", Resource: "configmaps", Effect: history.EffectNoop}
	act(Create, "", map[string]any{"text": "hello", "maxSize": int64(1)}, "", child, status)
	act(Rest, "", nil, "")
	act(Change, "spec.text", "hello-look", "", status)
	act(Change, "spec.text", "hello", "", status)
	act(Change, "spec.maxSize", int64(2), "", child)
	act(Change, "spec.maxSize", int64(1), "", child)
	act(Change, "spec.color", "blue", "", event, noop)
	act(Change, "spec.color", "red", "", child)
	act(Change, "spec.grows", int64(2), "", child)
	act(Change, "spec.grows", int64(1), "")
	act(Change, "spec.fixed", "b", "it is immutable")
	act(Change, "spec.list[0].a", "b", "", child)
	act(Change, "spec.list[0].a", "a", "", child)
	found, err := Find(r)
	if err != nil {
		t.Fatal(err)
	}
	want := []v1alpha1.Served{{
		Resource: v1alpha1.ServedResource{Group: "example.com", Version: "v1", Kind: "Note", Plural: "notes", Scope: "Namespaced"},
		Sample:   &apiextensionsv1.JSON{Raw: []byte(`{"metadata":{"labels":{"a":"{{\"{{\"}} b }}"}},"spec":{"maxSize":1,"text":"hello"}}`)},
		Edits: []v1alpha1.Edit{
			{Name: "max-size", Patch: apiextensionsv1.JSON{Raw: []byte(`{"spec":{"maxSize":2}}`)}},
			{Name: "text", Patch: apiextensionsv1.JSON{Raw: []byte(`{"spec":{"text":"hello-look"}}`)}},
		},
	}}
	if diff := cmp.Diff(want, found.Spec.Serves); diff != "" {
		t.Error(diff)
	}
	if found.Spec.Claims.Unowned != "" || found.Spec.Claims.Times.Retry == nil || !found.Spec.Claims.Times.Retry.Guessed {
		t.Errorf("claims: %+v", found.Spec.Claims)
	}
}

// TestFindServedWithoutNamespace: where an object without a namespace names that of the
// visit, the profile has the template for that of the scenario.
func TestFindServedWithoutNamespace(t *testing.T) {
	r := &Record{
		Kind: "Graph", Version: &apiextensionsv1.CustomResourceDefinitionVersion{Name: "v1"}, CRD: &apiextensionsv1.CustomResourceDefinition{},
		Workless: "its objects have no namespace", Command: []string{"bin/graph"}, Account: history.Account{Scenario: "look"},
		Acts: []Act{{Deed: Create, Object: "first", To: map[string]any{"namespace": "look", "texts": []any{"in look", "{{ x }}"}}}},
	}
	r.CRD.Spec.Group, r.CRD.Spec.Scope = "example.com", apiextensionsv1.ClusterScoped
	r.CRD.Spec.Names.Kind, r.CRD.Spec.Names.Plural = "Graph", "graphs"
	found, err := Find(r)
	if err != nil {
		t.Fatal(err)
	}
	want := v1alpha1.Served{
		Resource: v1alpha1.ServedResource{Group: "example.com", Version: "v1", Kind: "Graph", Plural: "graphs", Scope: "Cluster"},
		Sample:   &apiextensionsv1.JSON{Raw: []byte(`{"spec":{"namespace":"{{ .namespace }}","texts":["in {{ .namespace }}","{{\"{{\"}} x }}"]}}`)},
	}
	if diff := cmp.Diff([]v1alpha1.Served{want}, found.Spec.Serves); diff != "" {
		t.Errorf("serves (-want +got):\n%s", diff)
	}
}

// TestFindOwnershipOfServed: a controller that gives nothing an owner knows its children in
// another way.
func TestFindOwnershipOfServed(t *testing.T) {
	created := history.Request{Verb: history.VerbCreate, Resource: "secrets", Name: "a", Effect: history.EffectEffective}
	owned := created
	owned.Owners = []history.Owner{{Kind: "Note", Name: "first"}}
	refused, event := created, created
	refused.Effect, event.Resource = history.EffectRefused, "events"
	for name, tc := range map[string]struct {
		requests []history.Request
		want     v1alpha1.Ownership
	}{
		"nothing was created":  {[]history.Request{refused, event}, ""},
		"nothing has an owner": {[]history.Request{created, created}, v1alpha1.OwnershipByLabels},
		"one has an owner":     {[]history.Request{created, owned, created}, ""},
	} {
		f := &finder{Record: &Record{Account: history.Account{Requests: tc.requests}}}
		f.Notes, f.Asked = map[string]Note{}, map[string][]Question{}
		f.findOwnershipOfServed()
		if got := f.Spec.Claims.Ownership; got != tc.want || (len(f.Asked["claims.ownership"]) == 0) != (tc.want != "") {
			t.Errorf("%s: %q, asked %v; want %q", name, got, f.Asked, tc.want)
		}
	}
}
