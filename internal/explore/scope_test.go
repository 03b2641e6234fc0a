package explore

import (
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/internal/history"
)

func TestServed(t *testing.T) {
	ask := func(verb, resource, namespace string, code int) history.Request {
		return history.Request{Verb: verb, Group: "example.com", Resource: resource, Namespace: namespace, Code: code}
	}
	for name, tc := range map[string]struct {
		requests []history.Request
		want     string
	}{
		"one namespace": {[]history.Request{ask(history.VerbList, "webapps", "shop", 200), ask(history.VerbWatch, "webapps", "shop", 200)}, "shop"},
		"all":           {[]history.Request{ask(history.VerbWatch, "webapps", "", 200)}, ""},
		"several":       {[]history.Request{ask(history.VerbWatch, "webapps", "shop", 200), ask(history.VerbWatch, "webapps", "blog", 200)}, ""},
		"all was refused": {
			[]history.Request{ask(history.VerbList, "webapps", "", 403), ask(history.VerbList, "webapps", "shop", 200)}, "shop",
		},
		"reads one in a namespace": {[]history.Request{ask(history.VerbWatch, "webapps", "", 200), ask(history.VerbGet, "webapps", "shop", 200)}, ""},
		"other resources":          {[]history.Request{ask(history.VerbWatch, "deployments", "shop", 200)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := &Record{CRD: &apiextensionsv1.CustomResourceDefinition{}, Account: history.Account{Requests: tc.requests}}
			r.CRD.Spec.Group, r.CRD.Spec.Names.Plural = "example.com", "webapps"
			if got := r.Served(); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
