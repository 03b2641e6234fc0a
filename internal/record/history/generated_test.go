package history_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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

func TestMadeUpName(t *testing.T) {
	owned := func(name, kind string, labels map[string]string) metav1.ObjectMeta {
		yes := true
		return metav1.ObjectMeta{Name: name, Labels: labels, OwnerReferences: []metav1.OwnerReference{{Kind: kind, Name: "demo", Controller: &yes}}}
	}
	hash := map[string]string{"pod-template-hash": "5d8f9c7b64"}
	for name, tt := range map[string]struct {
		resource string
		object   metav1.ObjectMeta
		want     string
	}{
		"a name that the API server made up":      {"configmaps", metav1.ObjectMeta{Name: "conf-x7k2p", GenerateName: "conf-"}, "conf-?????"},
		"a generateName that was not needed":      {"configmaps", metav1.ObjectMeta{Name: "settings", GenerateName: "conf-"}, ""},
		"a Pod of a ReplicaSet":                   {"pods", metav1.ObjectMeta{Name: "demo-5d8f9c7b64-x7k2p", GenerateName: "demo-5d8f9c7b64-", Labels: hash}, "demo-<hash>-?????"},
		"a Pod of a StatefulSet":                  {"pods", owned("demo-0", "StatefulSet", nil), ""},
		"a Pod of a Job":                          {"pods", metav1.ObjectMeta{Name: "demo-29384756-x7k2p", GenerateName: "demo-29384756-"}, "demo-29384756-?????"},
		"a ReplicaSet of a Deployment":            {"replicasets.apps", owned("demo-5d8f9c7b64", "Deployment", hash), "demo-<hash>"},
		"a ReplicaSet that has a name of its own": {"replicasets.apps", owned("demo-blue", "Deployment", hash), ""},
		"a ReplicaSet of another controller":      {"replicasets.apps", owned("demo-5d8f9c7b64", "WebApp", hash), ""},
		"a revision":                              {"controllerrevisions.apps", owned("demo-7c9d", "StatefulSet", nil), "demo-<hash>"},
		"a Job of a CronJob":                      {"jobs.batch", owned("demo-29384756", "CronJob", nil), "demo-<time>"},
		"a Job that somebody started by hand":     {"jobs.batch", owned("demo-first", "CronJob", nil), ""},
		"a Job of another controller":             {"jobs.batch", owned("demo-1", "WebApp", nil), ""},
		"a name that somebody chose":              {"pods", metav1.ObjectMeta{Name: "demo"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := history.MadeUpName(tt.resource, tt.object); got != tt.want {
				t.Errorf("it is called %q, want %q", got, tt.want)
			}
		})
	}
}
