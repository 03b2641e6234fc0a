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

func TestGuarded(t *testing.T) {
	const second = `Deployment.apps "demo" is invalid: metadata.ownerReferences: Invalid value: [...]: Only one reference can have Controller set to true. ` +
		`Found "true" in references for ConfigMap somebody-else and WebApp demo`
	for name, tc := range map[string]struct {
		request Request
		want    bool
	}{
		"an apply that was refused for it":   {Request{Apply: true, Code: 422, Message: second}, true},
		"an update that was refused for it":  {Request{Code: 422, Message: second}, false},
		"an apply that was refused by luck":  {Request{Apply: true, Code: 422, Message: "spec.selector: Invalid value: field is immutable"}, false},
		"an apply that a Fault refused":      {Request{Apply: true, Code: 422, Message: second, Fault: "refusals"}, false},
		"an apply that was in conflict":      {Request{Apply: true, Code: 409, Message: "Apply failed with 1 conflict"}, false},
		"an apply that changed it":           {Request{Apply: true, Code: 200}, false},
		"a message of another code about it": {Request{Apply: true, Code: 403, Message: second}, false},
	} {
		if got := tc.request.Guarded(); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
