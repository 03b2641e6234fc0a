package traffic

import (
	"testing"

	"reconform.dev/reconform/internal/record/history"
)

// TestObjects: an object counts once, however often its creation is tried. What exists
// already does not count.
func TestObjects(t *testing.T) {
	create := func(resource, name string, code int) history.Request {
		r := history.Request{Verb: history.VerbCreate, Resource: resource, Name: name, Code: code, Effect: history.EffectEffective}
		if code >= 400 {
			r.Effect = history.EffectRefused
		}
		return r
	}
	update := history.Request{Verb: history.VerbUpdate, Resource: "webapps", Subresource: "status", Name: "demo", Code: 200, Effect: history.EffectNoop}
	for name, tc := range map[string]struct {
		requests []history.Request
		want     int64
	}{
		"none":                 {[]history.Request{update, update}, 0},
		"one, tried again":     {[]history.Request{create("deployments", "demo", 500), update, create("deployments", "demo", 500), create("deployments", "demo", 201)}, 1},
		"two kinds":            {[]history.Request{create("deployments", "demo", 201), create("services", "demo", 201)}, 2},
		"two names":            {[]history.Request{create("services", "demo", 201), create("services", "demo-metrics", 201)}, 2},
		"two of the same name": {[]history.Request{create("roles", "demo", 201), create("rolebindings", "demo", 201), update}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			if got := count(tc.requests).Objects; got != tc.want {
				t.Errorf("%d objects, want %d", got, tc.want)
			}
		})
	}
}
