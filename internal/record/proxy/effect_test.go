package proxy

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"

	"reconform.dev/reconform/internal/record/history"
)

// TestAppliedAnew: the object was deleted between the proxy's read and the apply, so
// the apply creates one. Its owners are those of the new object.
func TestAppliedAnew(t *testing.T) {
	was, err := decodeObject([]byte(`{"metadata":{"uid":"a","generation":7,"ownerReferences":[{"kind":"WebApp","name":"demo","uid":"w","controller":true}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{options: Options{Recorder: history.New(nil, nil)}}
	in := incoming{
		request: httptest.NewRequest(http.MethodPatch, "/apis/apps/v1/namespaces/x/deployments/demo", http.NoBody),
		info:    &apirequest.RequestInfo{Verb: "patch", APIGroup: "apps", APIVersion: "v1", Resource: "deployments", IsResourceRequest: true},
	}
	for name, tc := range map[string]struct {
		is   string
		want history.Request
	}{
		"without an owner": {
			`{"metadata":{"name":"demo","uid":"b","generation":1}}`,
			history.Request{Code: 201, Name: "demo", UID: "b", Generation: 1, Effect: history.EffectEffective, Verb: history.VerbCreate},
		},
		"with the new owner": {
			`{"metadata":{"name":"demo","uid":"b","ownerReferences":[{"apiVersion":"apps.kubedojo.io/v1beta1","kind":"WebApp","name":"demo","uid":"x","controller":true}]}}`,
			history.Request{
				Code: 201, Name: "demo", UID: "b", Effect: history.EffectEffective, Verb: history.VerbCreate,
				Owners: []history.Owner{{APIVersion: "apps.kubedojo.io/v1beta1", Kind: "WebApp", Name: "demo", UID: "x", Controller: true}},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := history.Request{Verb: history.VerbUpdate}
			p.written(t.Context(), in, prior{object: was}, http.StatusCreated, []byte(tc.is))(&got)
			got.Fixed = ""
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("recorded (-want +got):\n%s", diff)
			}
		})
	}
}

// TestChangesNothing: what is only asked, or said to a process of a Pod, changes no object.
func TestChangesNothing(t *testing.T) {
	for name, tc := range map[string]struct {
		info apirequest.RequestInfo
		want history.Effect
	}{
		"a review":             {apirequest.RequestInfo{Verb: "create", APIGroup: "authorization.k8s.io", Resource: "subjectaccessreviews"}, history.EffectNoop},
		"a token":              {apirequest.RequestInfo{Verb: "create", Resource: "serviceaccounts", Subresource: "token"}, history.EffectNoop},
		"a POST to a Service":  {apirequest.RequestInfo{Verb: "create", Resource: "services", Subresource: "proxy"}, history.EffectNoop},
		"a PUT to a Pod":       {apirequest.RequestInfo{Verb: "update", Resource: "pods", Subresource: "proxy"}, history.EffectNoop},
		"an eviction":          {apirequest.RequestInfo{Verb: "create", Resource: "pods", Subresource: "eviction"}, history.EffectEffective},
		"a Service":            {apirequest.RequestInfo{Verb: "create", Resource: "services"}, history.EffectEffective},
		"one of another group": {apirequest.RequestInfo{Verb: "create", APIGroup: "example.com", Resource: "services", Subresource: "proxy"}, history.EffectEffective},
	} {
		got, _, _ := (&Proxy{}).effect(t.Context(), incoming{info: &tc.info}, prior{}, http.StatusOK, nil)
		if got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}

func TestCompare(t *testing.T) {
	const before = `{"kind":"Deployment","metadata":{"uid":"u","resourceVersion":"1","generation":1,"annotations":{"deployment.kubernetes.io/revision":"1"},
		"managedFields":[{"manager":"c","operation":"Apply","time":"1","fieldsV1":{"f:spec":{}}},{"manager":"k","subresource":"status","time":"1"}]},
		"spec":{"replicas":1},"status":{"ready":0}}`
	main := part{hasStatus: true}
	status := part{subresource: "status", hasStatus: true}
	tests := map[string]struct {
		after string
		part  part
		want  history.Effect
	}{
		"same version": {
			before, main, history.EffectNoop,
		},
		"spec changed": {
			`{"kind":"Deployment","metadata":{"uid":"u","resourceVersion":"2","generation":2,"annotations":{"deployment.kubernetes.io/revision":"1"},
			"managedFields":[{"manager":"c","operation":"Apply","time":"1","fieldsV1":{"f:spec":{}}},{"manager":"k","subresource":"status","time":"1"}]},
			"spec":{"replicas":2},"status":{"ready":0}}`, main, history.EffectEffective,
		},
		"another wrote status and revision": {
			`{"kind":"Deployment","metadata":{"uid":"u","resourceVersion":"2","generation":1,"annotations":{"deployment.kubernetes.io/revision":"2"},
			"managedFields":[{"manager":"c","operation":"Apply","time":"1","fieldsV1":{"f:spec":{}}},{"manager":"k","subresource":"status","time":"2"}]},
			"spec":{"replicas":1},"status":{"ready":1}}`, main, history.EffectNoop,
		},
		"another wrote the first revision and status": {
			`{"kind":"Deployment","metadata":{"uid":"u","resourceVersion":"2","generation":1,
			"managedFields":[{"manager":"c","operation":"Apply","time":"1","fieldsV1":{"f:spec":{}}},{"manager":"k","subresource":"status","time":"2"}]},
			"spec":{"replicas":1},"status":{"ready":1}}`, main, history.EffectNoop,
		},
		"owned fields changed, values not": {
			`{"kind":"Deployment","metadata":{"uid":"u","resourceVersion":"2","generation":1,"annotations":{"deployment.kubernetes.io/revision":"1"},
			"managedFields":[{"manager":"c","operation":"Apply","time":"1","fieldsV1":{}},{"manager":"k","subresource":"status","time":"1"}]},
			"spec":{"replicas":1},"status":{"ready":0}}`, main, history.EffectEffective,
		},
		"a label changed": {
			`{"kind":"Deployment","metadata":{"uid":"u","resourceVersion":"2","generation":1,"labels":{"a":"b"},"annotations":{"deployment.kubernetes.io/revision":"1"},
			"managedFields":[{"manager":"c","operation":"Apply","time":"1","fieldsV1":{"f:spec":{}}},{"manager":"k","subresource":"status","time":"1"}]},
			"spec":{"replicas":1},"status":{"ready":0}}`, main, history.EffectEffective,
		},
		"status written": {
			`{"kind":"Deployment","metadata":{"uid":"u","resourceVersion":"2","managedFields":[{"manager":"k","subresource":"status","time":"1"}]},
			"status":{"ready":1}}`, status, history.EffectEffective,
		},
		"status written by nobody": {
			`{"kind":"Deployment","metadata":{"uid":"u","resourceVersion":"2","generation":9,"managedFields":[{"manager":"x","time":"3"},{"manager":"k","subresource":"status","time":"1"}]},
			"spec":{"replicas":9},"status":{"ready":0}}`, status, history.EffectNoop,
		},
		"status in the object itself": {
			`{"kind":"Deployment","metadata":{"uid":"u","resourceVersion":"2","generation":1,"annotations":{"deployment.kubernetes.io/revision":"1"},
			"managedFields":[{"manager":"c","operation":"Apply","time":"1","fieldsV1":{"f:spec":{}}},{"manager":"k","subresource":"status","time":"1"}]},
			"spec":{"replicas":1},"status":{"ready":1}}`, part{}, history.EffectEffective,
		},
		"replaced by another": {
			`{"kind":"Deployment","metadata":{"uid":"v","resourceVersion":"1"},"spec":{"replicas":1}}`, main, history.EffectEffective,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := compare(decoded(t, []byte(before)), decoded(t, []byte(test.after)), test.part); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestObject(t *testing.T) {
	o := decoded(t, []byte(`{"kind":"X","metadata":{"name":"n","uid":"u","resourceVersion":"12345678901234567890","generation":9007199254740993,
		"ownerReferences":[{"kind":"W","name":"w","uid":"o","controller":true},"odd"]},"spec":{"holderIdentity":"h"}}`))
	if o.generation() != 9007199254740993 || o.resourceVersion() != "12345678901234567890" || o.holder() != "h" {
		t.Errorf("%d %s %s", o.generation(), o.resourceVersion(), o.holder())
	}
	if owners := o.owners(); len(owners) != 1 || owners[0] != (history.Owner{Kind: "W", Name: "w", UID: "o", Controller: true}) {
		t.Errorf("%+v", owners)
	}
	// No input makes it fail.
	for _, odd := range []string{`{}`, `{"metadata":1}`, `{"metadata":{"managedFields":{},"annotations":[],"ownerReferences":3}}`} {
		o := decoded(t, []byte(odd))
		_ = []any{o.name(), o.generation(), o.owners(), o.isAnswer(), deletedAny(o)}
		_ = compare(o, decoded(t, []byte(`{"metadata":{"resourceVersion":"1"}}`)), part{})
	}
}

// TestIsLock: elections of old are held with the annotation of a ConfigMap or of Endpoints.
func TestIsLock(t *testing.T) {
	for text, want := range map[string]bool{
		`{"kind":"ConfigMap","metadata":{"annotations":{"control-plane.alpha.kubernetes.io/leader":"{}"}}}`: true,
		`{"kind":"Endpoints","metadata":{"annotations":{"control-plane.alpha.kubernetes.io/leader":""}}}`:   true,
		`{"kind":"Lease","metadata":{"annotations":{"control-plane.alpha.kubernetes.io/leader":"{}"}}}`:     false,
		`{"kind":"ConfigMap","metadata":{"annotations":{"example.com/leader":"{}"}}}`:                       false,
		`{"kind":"ConfigMap"}`: false,
	} {
		if got := decoded(t, []byte(text)).isLock(); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestChanged: the fields that a write changed are named, except those that the API
// server maintains.
func TestChanged(t *testing.T) {
	const was = `{"metadata":{"resourceVersion":"1","generation":1,"managedFields":[{"time":"a"}]},
		"spec":{"replicas":2,"containers":[{"name":"a","image":"v1"}],"list":[1]},"status":{"phase":"Pending"}}`
	for name, tc := range map[string]struct {
		is   string
		want []string
	}{
		"nothing": {`{"metadata":{"resourceVersion":"2","generation":2,"managedFields":[]},
			"spec":{"replicas":2,"containers":[{"name":"a","image":"v1"}],"list":[1]},"status":{"phase":"Pending"}}`, nil},
		"some": {
			`{"metadata":{"labels":{"a":"b"}},
			"spec":{"replicas":3,"containers":[{"name":"a","image":"v2"}],"list":[1,2]},"status":{"phase":"Pending","checked":"now"}}`,
			[]string{"metadata.labels.a", "spec.containers[0].image", "spec.list", "spec.replicas", "status.checked"},
		},
		"many": {`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1}`, []string{"a", "b", "c", "d", "e", "f", "g", "h", "and 4 more"}},
	} {
		t.Run(name, func(t *testing.T) {
			before, err := decodeObject([]byte(was))
			if err != nil {
				t.Fatal(err)
			}
			after, err := decodeObject([]byte(tc.is))
			if err != nil {
				t.Fatal(err)
			}
			got := differenceOf(before, after).paths
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("changed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDisowned(t *testing.T) {
	const owned, other, plain, none = `{"metadata":{"ownerReferences":[{"kind":"WebApp","uid":"a","controller":true}]}}`,
		`{"metadata":{"ownerReferences":[{"kind":"WebApp","uid":"b","controller":true}]}}`,
		`{"metadata":{"ownerReferences":[{"kind":"WebApp","uid":"a"}]}}`, `{"metadata":{}}`
	for name, tc := range map[string]struct {
		before, after string
		want          bool
	}{
		"taken off":        {owned, none, true},
		"made a plain one": {owned, plain, true},
		"kept":             {owned, owned, false},
		"handed over":      {owned, other, false},
		"got":              {none, owned, false},
		"never had one":    {plain, none, false},
	} {
		t.Run(name, func(t *testing.T) {
			before, err := decodeObject([]byte(tc.before))
			if err != nil {
				t.Fatal(err)
			}
			after, err := decodeObject([]byte(tc.after))
			if err != nil {
				t.Fatal(err)
			}
			if got := disowned(before, after); got != tc.want {
				t.Errorf("disowned: %t, want %t", got, tc.want)
			}
		})
	}
}

// TestNumbersThatAreTimes: a number is a time if it may be one of these years, in seconds or in
// parts of seconds.
func TestNumbersThatAreTimes(t *testing.T) {
	for number, want := range map[string]bool{
		"1795000000": true, "1795000000.25": true, "1795000000123": true, "1795000000123456": true, "1795000000123456789": true,
		"7": false, "1499999999": false, "2147483648": false, "8589934592": false, "1099511627776": false, "5000000000000": false, "-1795000000": false,
	} {
		if got := isTime(json.Number(number)); got != want {
			t.Errorf("%s: %t, want %t", number, got, want)
		}
	}
}

// TestOnlyTimes: a write that changes only times is distinguished from one that changes
// something else.
func TestOnlyTimes(t *testing.T) {
	const was = `{"metadata":{"resourceVersion":"1"},"status":{"phase":"Ready","at":"2026-11-26T01:00:00Z","seconds":1795000000,
		"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-11-26T01:00:00Z"}],"count":7}}`
	for name, tc := range map[string]struct {
		from, to string
		want     bool
	}{
		"nothing":              {"Ready", "Ready", false},
		"a version":            {`"resourceVersion":"1"`, `"resourceVersion":"2"`, false},
		"a time":               {`"at":"2026-11-26T01:00:00Z"`, `"at":"2026-11-26T01:00:01Z"`, true},
		"a part of a second":   {`"at":"2026-11-26T01:00:00Z"`, `"at":"2026-11-26T01:00:00.250001Z"`, true},
		"all times":            {`2026-11-26T01:00:00Z`, `2026-11-26T02:00:00+01:00`, true},
		"seconds since 1970":   {`1795000000`, `1795000001`, true},
		"a count":              {`"count":7`, `"count":8`, false},
		"a time and a phase":   {`"Ready","at":"2026-11-26T01:00:00Z"`, `"Failed","at":"2026-11-26T01:00:01Z"`, false},
		"a time that is new":   {`"count":7`, `"count":7,"seen":"2026-11-26T01:00:00Z"`, false},
		"a time that goes":     {`"at":"2026-11-26T01:00:00Z",`, ``, false},
		"a time becomes words": {`"at":"2026-11-26T01:00:00Z"`, `"at":"never"`, false},
	} {
		t.Run(name, func(t *testing.T) {
			before, err := decodeObject([]byte(was))
			if err != nil {
				t.Fatal(err)
			}
			after, err := decodeObject([]byte(strings.ReplaceAll(was, tc.from, tc.to)))
			if err != nil {
				t.Fatal(err)
			}
			if got := differenceOf(before, after).onlyTimes; got != tc.want {
				t.Errorf("only times: %t, want %t", got, tc.want)
			}
		})
	}
}
