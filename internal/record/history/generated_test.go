package history_test

import (
	"strings"
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

func TestGenerated(t *testing.T) {
	created := history.Request{Verb: "create", Resource: "secrets", Name: "demo-x7k2p", GenerateName: "demo-"}
	open := history.Request{Verb: "create", Resource: "secrets", GenerateName: "demo-"}
	deleted := history.Request{Verb: "delete", Resource: "secrets", Name: "demo-x7k2p"}
	other := history.Request{Verb: "delete", Resource: "secrets", Name: "demo-tls"}
	elsewhere := history.Request{Verb: "delete", Resource: "configmaps", Name: "demo-x7k2p"}
	names := history.GeneratedIn([]history.Request{created, deleted, other})

	for name, tt := range map[string]struct {
		request history.Request
		want    string
	}{
		"created":                              {created, "demo-?????"},
		"not yet created":                      {open, "demo-?????"},
		"deleted":                              {deleted, "demo-?????"},
		"somebody chose the name":              {other, "demo-tls"},
		"the same name in another resource":    {elsewhere, "demo-x7k2p"},
		"a long name is cut by the API server": {history.Request{GenerateName: strings.Repeat("a", 70)}, strings.Repeat("a", 58) + "?????"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := names.Name(tt.request); got != tt.want {
				t.Errorf("it is called %q, want %q", got, tt.want)
			}
		})
	}
	if got := names.Object("secrets demo-x7k2p"); got != "secrets demo-?????" {
		t.Errorf("the object is called %q", got)
	}
	match := v1alpha1.RequestMatch{Names: []string{"demo-?????"}}
	for _, request := range []history.Request{created, open, deleted} {
		if !history.Matches(match, request) {
			t.Errorf("%+v is not selected by the name that is the same in each run", request)
		}
	}
	if history.Matches(match, other) {
		t.Error("an object with a name of its own is selected")
	}
}
