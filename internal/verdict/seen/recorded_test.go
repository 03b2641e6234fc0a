package seen

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// TestUnused: an exemption is unused if no request matched it in any scenario.
func TestUnused(t *testing.T) {
	used := v1alpha1.Exemption{Verbs: []string{"get"}, Resources: []string{"pods"}}
	otherVerb := v1alpha1.Exemption{Verbs: []string{"delete"}, Resources: []string{"pods"}}
	misspelt := v1alpha1.Exemption{Resources: []string{"pod"}}
	ofInvariant := v1alpha1.Exemption{Resources: []string{"leases.coordination.k8s.io"}, Invariants: []string{"SelfTrigger"}}
	p := &profile.Profile{}
	p.Spec.Claims.Exempt = []v1alpha1.Exemption{used, otherVerb, misspelt, ofInvariant}
	run := Recorded{Profile: p, Accounts: []history.Account{
		{Scenario: "RC-001", Requests: []history.Request{{Verb: "list", Resource: "pods"}}},
		{Scenario: "RC-002", Requests: []history.Request{
			{Verb: "get", Resource: "pods"}, {Verb: "update", Group: "coordination.k8s.io", Resource: "leases"},
		}},
	}}
	if diff := cmp.Diff([]v1alpha1.Exemption{otherVerb, misspelt}, run.Unused()); diff != "" {
		t.Errorf("unused (-want +got):\n%s", diff)
	}
}

// TestUnserved: each kind of request is reported once, with the scenario in which it
// was seen. Requests that were answered, or that a Fault refused, are not reported.
func TestUnserved(t *testing.T) {
	exec := history.Request{Verb: "create", Resource: "pods", Subresource: "exec", Code: 501, Message: "no"}
	faulty, answered, log := exec, exec, exec
	faulty.Fault, answered.Code = "f", 101
	log.Verb, log.Subresource, log.Code = "get", "log", 500
	run := Recorded{Title: func(scenario string) string { return scenario }, Accounts: []history.Account{
		{Scenario: "RC-001", Requests: []history.Request{log, exec, exec, faulty, answered}},
		{Scenario: "RC-002", Requests: []history.Request{exec}},
		{Scenario: "RC-003", Requests: []history.Request{faulty, answered}},
	}}
	want := []v1alpha1.Unserved{
		{Request: "create pods/exec", Count: 3, Answer: "501: no", SeenIn: []string{"RC-001", "RC-002"}},
		{Request: "get pods/log", Count: 1, Answer: "500: no", SeenIn: []string{"RC-001"}},
	}
	if diff := cmp.Diff(want, run.Unserved()); diff != "" {
		t.Errorf("unserved (-want +got):\n%s", diff)
	}
}

// TestUnclaimedDependency: a watch of ConfigMaps shows no dependency if the controller makes some in
// another scenario, as one may end before that.
func TestUnclaimedDependency(t *testing.T) {
	watch := history.Request{Verb: "watch", Method: "GET", Resource: "configmaps", Code: 200}
	made := history.Request{Verb: "create", Method: "POST", Resource: "configmaps", Name: "own", Code: 201, Effect: history.EffectEffective}
	read := history.Request{Verb: "get", Method: "GET", Resource: "configmaps", Name: "settings", Code: 200}
	for name, tc := range map[string]struct {
		other []history.Request
		want  string
	}{
		"makes none":                    {nil, "#0 watch configmaps, in RC-001"},
		"makes some":                    {[]history.Request{watch, made}, ""},
		"makes some, and reads another": {[]history.Request{made, read}, "#0 get configmaps settings, in RC-002"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := profile.Load("../../../fixtures/profiles/reference.yaml")
			if err != nil {
				t.Fatal(err)
			}
			p.Spec.Claims.Features = nil
			run := Recorded{Profile: p, Title: func(scenario string) string { return scenario }, Accounts: []history.Account{
				{Scenario: "RC-001", Requests: []history.Request{watch}}, {Scenario: "RC-002", Requests: tc.other},
			}}
			var got string
			for _, unclaimed := range run.Unclaimed() {
				if unclaimed.Feature == v1alpha1.FeatureDependency {
					got = unclaimed.Seen
				}
			}
			if got != tc.want {
				t.Errorf("seen: %q, want %q", got, tc.want)
			}
		})
	}
}
