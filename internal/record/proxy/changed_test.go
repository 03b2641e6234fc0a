package proxy

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestChanged: the fields that a write changed are named, and what the API server keeps is
// not.
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
			[]string{"metadata.labels", "spec.containers[0].image", "spec.list", "spec.replicas", "status.checked"},
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
			got, _ := changed(before, after)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("changed (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDisowned: an object has lost its controlling owner.
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

// TestOnlyTimes: a write that changes nothing but times is told from one that says
// something new.
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
			if _, got := changed(before, after); got != tc.want {
				t.Errorf("only times: %t, want %t", got, tc.want)
			}
		})
	}
}
