package infer

import (
	"strconv"
	"strings"
	"testing"
	"time"

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
	act(Create, "", map[string]any{"text": "hello", "maxSize": int64(1), "list": []any{map[string]any{"a": "a", "b": "{{ c }}"}, "z"}}, "", child, status)
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
	act(Change, "spec.mode", "late", "")
	act(Change, "spec.mode", nil, "", child)
	act(Change, "spec.mode", "other", "", child)
	act(Change, "spec.mode", nil, "", child)
	found, err := Find(r)
	if err != nil {
		t.Fatal(err)
	}
	want := []v1alpha1.Served{{
		Resource: v1alpha1.ServedResource{Group: "example.com", Version: "v1", Kind: "Note", Plural: "notes", Scope: "Namespaced"},
		Sample:   &apiextensionsv1.JSON{Raw: []byte(`{"metadata":{"labels":{"a":"{{\"{{\"}} b }}"}},"spec":{"list":[{"a":"a","b":"{{\"{{\"}} c }}"},"z"],"maxSize":1,"text":"hello"}}`)},
		Edits: []v1alpha1.Edit{
			{Name: "max-size", Patch: apiextensionsv1.JSON{Raw: []byte(`{"spec":{"maxSize":2}}`)}},
			{Name: "list-0-a", Patch: apiextensionsv1.JSON{Raw: []byte(`{"spec":{"list":[{"a":"b","b":"{{\"{{\"}} c }}"},"z"]}}`)}},
			{Name: "mode", Patch: apiextensionsv1.JSON{Raw: []byte(`{"spec":{"mode":"other"}}`)}},
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

// TestServedByTheClock: what a controller without a contract writes by the clock is asked about, if
// that was seen, or if the sample says so.
func TestServedByTheClock(t *testing.T) {
	for name, tc := range map[string]struct {
		schedule string
		beats    int
		want     string // empty if nothing is asked
	}{
		"each minute":       {"* * * * *", 0, "spec.schedule is * * * * *"},
		"every ten minutes": {"*/10 * * * *", 0, "spec.schedule is */10 * * * *"},
		"each second":       {"@every 1s", 0, "spec.schedule is @every 1s"},
		"each hour":         {"30 * * * *", 0, "spec.schedule is 30 * * * *"},
		"each day":          {"0 0 * * *", 0, ""},
		"once a day":        {"@daily", 0, ""},
		"no schedule":       {"daily", 0, ""},
		"a heartbeat":       {"daily", 3, "it changed status.beats of notes.example.com demo every 20s"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Record{
				Kind: "Note", Version: &apiextensionsv1.CustomResourceDefinitionVersion{Name: "v1"}, CRD: &apiextensionsv1.CustomResourceDefinition{},
				Workless: "it made: configmaps", Command: []string{"bin/note"},
				Acts: []Act{{Deed: Create, Object: "demo", To: map[string]any{"schedule": tc.schedule}}},
			}
			r.CRD.Spec.Group, r.CRD.Spec.Names.Plural = "example.com", "notes"
			for n := range tc.beats {
				r.Account.Requests = append(r.Account.Requests, history.Request{
					Verb: history.VerbUpdate, Group: "example.com", Resource: "notes", Subresource: "status", Name: "demo", Effect: history.EffectEffective,
					Changed: []string{"status.beats"}, Time: time.Unix(int64(20*n), 0),
				})
			}
			found, err := Find(r)
			if err != nil {
				t.Fatal(err)
			}
			asked := asOne(found.Asked["claims.exempt"]) + asOne(found.Asked["serves"])
			if !strings.Contains(asked, tc.want) || tc.want == "" && strings.Contains(asked, "comes due") {
				t.Errorf("asked %q, want %q", asked, tc.want)
			}
		})
	}
}

// TestOfferEdits: no edit and no field is left out without a word. Those that the profile
// does not get are offered, each with a name of its own.
func TestOfferEdits(t *testing.T) {
	f := &finder{Record: &Record{
		CRD: &apiextensionsv1.CustomResourceDefinition{}, Version: &apiextensionsv1.CustomResourceDefinitionVersion{}, Unchanged: []string{"spec.x", "spec.y"},
	}}
	f.Notes, f.Asked, f.first = map[string]Note{}, map[string][]Question{}, Act{To: map[string]any{}}
	for _, path := range []string{"a", "b", "c", "bigSize", "big-size", "d{{e"} {
		for range 2 { // there and back
			seq := int64(len(f.Account.Requests))
			f.Account.Requests = append(f.Account.Requests, history.Request{Seq: seq + 1, Verb: "update", Resource: "secrets", Effect: history.EffectEffective})
			f.Acts = append(f.Acts, Act{Deed: Change, Path: "spec." + path, To: "{{ v", AfterSeq: seq, UntilSeq: seq + 1})
		}
	}
	if err := f.findServes(); err != nil {
		t.Fatal(err)
	}
	if got := len(f.Spec.Serves[0].Edits); got != mostEdits {
		t.Errorf("the profile has %d edits, want %d", got, mostEdits)
	}
	want := []Question{
		{
			Text: "left out, though the controller acted on each: big-size-2, d--e. Which of them matter? Scenarios need only a few edits, but explore tries each one that is here",
			Lines: []string{
				`- {"name":"big-size-2","patch":{"spec":{"big-size":"{{\"{{\"}} v"}}}`,
				`- {"name":"d--e","patch":{"spec":{"d{{e":"{{\"{{\"}} v"}}}`,
			},
		},
		{Text: "not tried, because there are too many fields, the time was over, or a key has a dot or a bracket: spec.x, spec.y. Does the controller act on one of them?"},
	}
	if diff := cmp.Diff(want, f.Asked["serves.edits"]); diff != "" {
		t.Error(diff)
	}
}

// TestEditsThatUsersMake: of the fields on which the controller acts, those come first that the
// sample sets, and switches last. A field that led to a write of a child comes before all
// others.
func TestEditsThatUsersMake(t *testing.T) {
	f := &finder{Record: &Record{
		CRD: &apiextensionsv1.CustomResourceDefinition{}, Version: &apiextensionsv1.CustomResourceDefinitionVersion{},
	}}
	f.first = Act{To: map[string]any{"size": int64(1), "suspend": false, "note": "a"}}
	for _, path := range []string{"suspend", "managedBy", "size", "note"} {
		for range 2 { // there and back
			seq := int64(len(f.Account.Requests))
			resource := "secrets"
			if path == "note" {
				resource = f.CRD.Spec.Names.Plural // of the object itself
			}
			f.Account.Requests = append(f.Account.Requests, history.Request{Seq: seq + 1, Verb: "update", Resource: resource, Effect: history.EffectEffective})
			f.Acts = append(f.Acts, Act{Deed: Change, Path: "spec." + path, To: "other", AfterSeq: seq, UntilSeq: seq + 1})
		}
	}
	edits, err := f.edits()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, edit := range edits {
		got = append(got, edit.Name)
	}
	if diff := cmp.Diff([]string{"size", "managed-by", "suspend", "note"}, got); diff != "" {
		t.Errorf("edits (-want +got):\n%s", diff)
	}
}

// TestAnother: the value that is tried has the form of the one that is there.
func TestAnother(t *testing.T) {
	for value, want := range map[any]any{
		"": "look", "09:30": "09:31", "23:59": "23:58", "-1": "-2", "-5s": "-6s", "10.0.0.0/24": "10.0.0.0/25", "10.0.0.7/32": "10.0.0.7/31", "10.0.0.255": "10.0.0.254",
		"30s": "31s", "1h30m": "1h31m", "100m": "101m", "1.5Gi": "1.6Gi", "0.9": "0.10", "5": "6", "007": "008", "50%": "49%", "100%": "99%", "0%": "1%",
		"v1.2.3": "v1.2.4", "10.0.0.1": "10.0.0.2", "true": "false", "false": "true", "gold": "gold-look", "1 GB": "1 GB-look",
		"2024-02-29": "2028-02-29", "1999-12-31T23:59:59Z": "2003-12-31T23:59:59Z", "2024-1": "2024-1-look",
		"https://example.com/a:b": "https://example.com/a:b-look", "nginx/nginx:1": otherImage, "a@example.com": "a@example.com-look", 0.5: 0.25,
	} {
		if got := another(nil, Leaf{Path: "spec.x", Value: value}, nil, map[int64]bool{}); got != want {
			t.Errorf("%v: got %v, want %v", value, got, want)
		}
	}
}

// TestTogglesAndUnnamable: what is true or false is tried, and what no path can name is
// named to the user.
func TestTogglesAndUnnamable(t *testing.T) {
	spec := map[string]any{"on": true, "list": []any{map[string]any{"off": false}, map[string]any{"a.b/c": "d"}}, "files": map[string]any{"app.yaml": true}}
	if diff := cmp.Diff([]FieldChange{{"spec.list[0].off", true}, {"spec.on", false}}, Toggles(spec)); diff != "" {
		t.Errorf("toggles (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{`spec.files["app.yaml"]`, `spec.list[1]["a.b/c"]`}, Unnamable(spec, "spec")); diff != "" {
		t.Errorf("unnamable (-want +got):\n%s", diff)
	}
}

// TestChoices: a field that the sample leaves out gets other values than its default, if the schema
// enumerates them.
func TestChoices(t *testing.T) {
	value := func(text string) apiextensionsv1.JSON { return apiextensionsv1.JSON{Raw: []byte(text)} }
	property := func(values ...string) apiextensionsv1.JSONSchemaProps {
		schema := apiextensionsv1.JSONSchemaProps{Type: "string"}
		for _, text := range values {
			schema.Enum = append(schema.Enum, value(strconv.Quote(text)))
		}
		return schema
	}
	withDefault, number, object, needy := property("a", "b", "c"), property(), property(), property()
	first := value(`"a"`)
	withDefault.Default = &first
	number.Type, number.Enum = "integer", []apiextensionsv1.JSON{value("1"), value("2")}
	object.Type, object.Properties = "object", map[string]apiextensionsv1.JSONSchemaProps{"mode": property("on", "off")}
	needy.Type, needy.Properties, needy.Required = "object", map[string]apiextensionsv1.JSONSchemaProps{"mode": property("on", "off"), "url": property()}, []string{"url"}
	spec := apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{
		"default": withDefault, "none": property("", "a", "b", "c"), "one": property("only"), "free": property(), "number": number,
		"given": property("a", "b"), "below": object, "needy": needy, "needyGiven": needy,
	}}
	version := &apiextensionsv1.CustomResourceDefinitionVersion{Schema: &apiextensionsv1.CustomResourceValidation{
		OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": spec}},
	}}
	want := []FieldChange{
		{"spec.below.mode", "on"},
		{"spec.below.mode", "off"},
		{"spec.default", "b"},
		{"spec.needyGiven.mode", "on"},
		{"spec.needyGiven.mode", "off"},
		{"spec.none", "a"},
		{"spec.none", "b"},
		{"spec.one", "only"},
	}
	if diff := cmp.Diff(want, Choices(version, map[string]any{"given": "a", "needyGiven": map[string]any{"url": "u"}})); diff != "" {
		t.Errorf("choices (-want +got):\n%s", diff)
	}
	if got := Choices(&apiextensionsv1.CustomResourceDefinitionVersion{}, nil); got != nil {
		t.Errorf("without a schema: %v", got)
	}
}

// TestAskEdits: if no change is an edit, the question says whether the controller acted on
// one that it did not undo.
func TestAskEdits(t *testing.T) {
	const none = "no change of a field was seen to lead to a write: "
	const oneWay = "a change of spec.again led to a write, and undoing it did not: "
	change := func(path string, refused string, seq, writes int64) Act {
		return Act{Deed: Change, Object: "first-look", Path: path, Refused: refused, AfterSeq: seq, UntilSeq: seq + writes}
	}
	for name, tc := range map[string]struct {
		acts []Act
		want string
	}{
		"nothing was changed":       {nil, "no change of a field was tried: "},
		"no effect":                 {[]Act{change("spec.again", "", 0, 0), change("spec.again", "", 0, 0)}, none},
		"an effect that stays":      {[]Act{change("spec.other", "", 0, 0), change("spec.other", "", 0, 0), change("spec.again", "", 0, 1), change("spec.again", "", 1, 0)}, oneWay},
		"the undoing was refused":   {[]Act{change("spec.again", "", 0, 1), change("spec.again", "not again", 1, 0)}, none},
		"two fields, not one twice": {[]Act{change("spec.again", "", 0, 1), change("spec.other", "", 1, 0)}, none},
	} {
		f := &finder{Record: &Record{Acts: tc.acts, CRD: &apiextensionsv1.CustomResourceDefinition{}}}
		f.Asked = map[string][]Question{}
		f.Account.Requests = []history.Request{{Seq: 1, Verb: "update", Resource: "secrets", Effect: history.EffectEffective}}
		f.askEdits()
		if asked := f.Asked["serves"]; len(asked) != 1 || !strings.HasPrefix(asked[0].Text, tc.want) {
			t.Errorf("%s: asked %v, want one that begins with %q", name, asked, tc.want)
		}
	}
}

// TestExcuse: what looks like a mistake may be none if the controller waits for what does not
// run. What a profile declares is certain all the same.
func TestExcuse(t *testing.T) {
	const because = ". It may be no mistake: the controller tried to reach db.ns.svc:5432, and nothing answers there on the local control plane"
	f := &Findings{Unreached: "db.ns.svc:5432", Doubts: []Doubt{{Text: "a"}, {Text: "b", Claimed: "c"}, {Text: "d", Declared: true}}}
	f.excuse()
	want := []Doubt{{Text: "a" + because}, {Text: "b" + because, Claimed: "c" + because}, {Text: "d", Declared: true}}
	if diff := cmp.Diff(want, f.Doubts); diff != "" {
		t.Error(diff)
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
