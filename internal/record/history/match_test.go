package history_test

import (
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

func TestMatches(t *testing.T) {
	deployment := history.Request{Verb: "create", Group: "apps", Resource: "deployments", Name: "demo"}
	status := history.Request{Verb: "update", Group: "apps", Resource: "deployments", Subresource: "status", Name: "demo"}
	service := history.Request{Verb: "delete", Resource: "services", Name: "demo"}
	streaming := history.Request{Verb: "watch", StreamingList: true, Resource: "services"}
	lease := history.Request{Verb: "update", Group: "coordination.k8s.io", Resource: "leases", Name: "lock"}
	event := history.Request{Verb: "create", Resource: "events"}
	newEvent := history.Request{Verb: "create", Group: "events.k8s.io", Resource: "events"}
	review := history.Request{Verb: "create", Group: "authorization.k8s.io", Resource: "subjectaccessreviews"}
	token := history.Request{Verb: "create", Resource: "serviceaccounts", Subresource: "token"}
	discovery := history.Request{Verb: "other"}
	inside := history.Request{Verb: "list", Resource: "services", Namespace: "a"}

	tests := map[string]struct {
		match v1alpha1.RequestMatch
		hits  []history.Request
		miss  []history.Request
	}{
		"everything": {
			v1alpha1.RequestMatch{},
			[]history.Request{deployment, status, service, streaming, discovery},
			[]history.Request{lease, event, newEvent, review, token},
		},
		"verbs": {
			v1alpha1.RequestMatch{Verbs: []string{"create", "delete"}},
			[]history.Request{deployment, service},
			[]history.Request{status, streaming, event, discovery},
		},
		"list":  {v1alpha1.RequestMatch{Verbs: []string{"list"}}, []history.Request{streaming}, []history.Request{service}},
		"watch": {v1alpha1.RequestMatch{Verbs: []string{"watch"}}, []history.Request{streaming}, []history.Request{service}},
		"resources": {
			v1alpha1.RequestMatch{Resources: []string{"deployments.apps", "leases.coordination.k8s.io"}},
			[]history.Request{deployment, status, lease},
			[]history.Request{service, event, discovery},
		},
		"core events": {v1alpha1.RequestMatch{Resources: []string{"events"}}, []history.Request{event}, []history.Request{newEvent}},
		"the object itself": {
			v1alpha1.RequestMatch{Subresource: "-"}, []history.Request{deployment}, []history.Request{status},
		},
		"a subresource": {
			v1alpha1.RequestMatch{Subresource: "status"}, []history.Request{status}, []history.Request{deployment},
		},
		"across namespaces": {
			v1alpha1.RequestMatch{AcrossNamespaces: true}, []history.Request{streaming}, []history.Request{inside},
		},
		"names": {
			v1alpha1.RequestMatch{Names: []string{"other", "demo"}},
			[]history.Request{deployment, service},
			[]history.Request{streaming},
		},
		"a pattern of names": {
			v1alpha1.RequestMatch{Names: []string{"*em*"}},
			[]history.Request{deployment, service},
			[]history.Request{streaming, lease},
		},
		"a part of a name": {
			v1alpha1.RequestMatch{Names: []string{"em"}}, nil, []history.Request{deployment, service},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, request := range test.hits {
				if !history.Matches(test.match, request) {
					t.Errorf("does not match %+v", request)
				}
			}
			for _, request := range test.miss {
				if history.Matches(test.match, request) {
					t.Errorf("matches %+v", request)
				}
			}
		})
	}
}

// TestExemptFields: an exemption with fields is about updates that change nothing else.
func TestExemptFields(t *testing.T) {
	exempt := []v1alpha1.Exemption{{Resources: []string{"sites.example.com"}, Fields: []string{"status.lastSeen", "metadata.annotations"}}}
	update := func(changed ...string) history.Request {
		return history.Request{Verb: history.VerbUpdate, Group: "example.com", Resource: "sites", Changed: changed}
	}
	created := update("status.lastSeen")
	created.Verb = history.VerbCreate
	for name, tc := range map[string]struct {
		request history.Request
		want    bool
	}{
		"the field":               {update("status.lastSeen"), true},
		"something in it":         {update("status.lastSeen.at", "metadata.annotations.example.com/beat"), true},
		"an element of it":        {update("status.lastSeen[2]"), true},
		"another one, too":        {update("status.lastSeen", "status.phase"), false},
		"one that begins like it": {update("status.lastSeenBy"), false},
		"nothing":                 {update(), false},
		"no update":               {created, false},
	} {
		if got := history.Exempts(exempt, tc.request); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
