package history

import "testing"

func TestInWords(t *testing.T) {
	for want, request := range map[string]Request{
		"#1 update webapps/status demo": {Seq: 1, Verb: VerbUpdate, Resource: "webapps", Subresource: "status", Name: "demo"},
		"#2 list deployments":           {Seq: 2, Verb: "list", Resource: "deployments"},
		"#3 other /version":             {Seq: 3, Verb: "other", Path: "/version"},
	} {
		if got := request.InWords(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
