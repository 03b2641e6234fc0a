package traffic

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

// TestManaged: an apply by another field manager that changes no value is effective,
// and is also counted separately. If it may have changed a value, it is not counted
// separately.
func TestManaged(t *testing.T) {
	apply := history.Request{
		Seq: 7, Verb: history.VerbUpdate, Resource: "services", Name: "demo", Code: 200, Apply: true, ResourceVersion: "9",
		Generation: 1, GenerationBefore: 1, Effect: history.EffectEffective,
	}
	edited := func(edit func(*history.Request)) history.Request {
		r := apply
		edit(&r)
		return r
	}
	for name, tc := range map[string]struct {
		request history.Request
		managed int64
		message string
	}{
		"only managed fields":  {apply, 1, "#7 update services demo (effective: only metadata.managedFields)"},
		"a field":              {edited(func(r *history.Request) { r.Changed = []string{"spec.type"} }), 0, "#7 update services demo (effective)"},
		"another generation":   {edited(func(r *history.Request) { r.Generation = 2 }), 0, "#7 update services demo (effective)"},
		"not compared":         {edited(func(r *history.Request) { r.Note = "not compared: x" }), 0, "#7 update services demo (effective)"},
		"no object in answer":  {edited(func(r *history.Request) { r.ResourceVersion = "" }), 0, "#7 update services demo (effective)"},
		"nothing":              {edited(func(r *history.Request) { r.Effect = history.EffectNoop }), 0, "#7 update services demo (noop)"},
		"a child that is made": {edited(func(r *history.Request) { r.Verb = history.VerbCreate }), 0, "#7 create services demo (effective)"},
	} {
		t.Run(name, func(t *testing.T) {
			got := count([]history.Request{tc.request})
			if got.Managed != tc.managed || got.Message != tc.message {
				t.Errorf("managed %d, %q, want %d, %q", got.Managed, got.Message, tc.managed, tc.message)
			}
		})
	}
}

// TestStarts: an update that only starts more Pods is effective, and is also counted
// separately.
func TestStarts(t *testing.T) {
	scaled := func(was, is string) history.Request {
		return history.Request{
			Seq: 8, Verb: history.VerbUpdate, Resource: "statefulsets", Name: "demo", Code: 200, ResourceVersion: "9", Effect: history.EffectEffective,
			Changed: []string{"spec.replicas"}, Values: []history.Change{{Path: "spec.replicas", Was: was, Is: is}},
		}
	}
	got := count([]history.Request{scaled("0", "2"), scaled("2", "1")})
	const message = "#8 update statefulsets demo (effective: only to start more Pods); #8 update statefulsets demo (effective)"
	if got.Effective != 2 || got.Starts != 1 || got.Managed != 0 || got.Message != message {
		t.Errorf("effective %d, starts %d, managed %d, %q, want 2, 1, 0, %q", got.Effective, got.Starts, got.Managed, got.Message, message)
	}
}

// TestMostOften: if many requests were sent, the most frequent one is named.
func TestMostOften(t *testing.T) {
	of := func(effect history.Effect, resources ...string) []history.Request {
		var all []history.Request
		for n, resource := range resources {
			all = append(all, history.Request{Seq: int64(n), Verb: history.VerbUpdate, Resource: resource, Name: "demo", Code: 200, Effect: effect})
		}
		return all
	}
	named := func(names ...string) []history.Request {
		var all []history.Request
		for _, name := range names {
			all = append(all, history.Request{Verb: "get", Resource: "services", Name: name, Code: 200, Effect: history.EffectNone})
		}
		return all
	}
	made := of(history.EffectEffective, "deployments", "services")
	status := of(history.EffectEffective, "a", "a", "a", "a", "a", "a", "a")
	spaced := of(history.EffectRefused, "a", "a", "a", "a", "a", "a", "a", "a", "a")
	for n := range spaced {
		spaced[n].Time = time.Unix(0, 0).Add(time.Duration(n) * 272 * time.Millisecond)
	}
	for name, tc := range map[string]struct {
		requests []history.Request
		want     string
	}{
		"with pauses":         {spaced, "; and 1 more; most often: 9 × update a demo (refused) every 270ms on average"},
		"all are named":       {status, ""},
		"one is repeated":     {append(made, status...), "; and 1 more; most often: 7 × update a demo (effective)"},
		"one kind is":         {append(made, named("a", "b", "c", "d", "e", "f", "g")...), "; and 1 more; most often: 7 × get services of a and b and c and 4 more"},
		"none is":             {of(history.EffectNoop, "a", "a", "b", "b", "c", "c", "d", "d", "e"), "; and 1 more"},
		"in vain, and others": {append(status, of(history.EffectNoop, "a", "a", "a", "a", "a", "a", "a", "a")...), "; and 7 more; most often: 8 × update a demo (noop), 7 × update a demo (effective)"},
	} {
		t.Run(name, func(t *testing.T) {
			message := count(tc.requests).Message
			_, after, _ := strings.Cut(message, "; and ")
			if after != "" {
				after = "; and " + after
			}
			if diff := cmp.Diff(tc.want, after); diff != "" {
				t.Errorf("the end of the message (-want +got):\n%s", diff)
			}
		})
	}
}
