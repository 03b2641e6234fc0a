package subject

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/process/sandbox"
	"reconform.dev/reconform/internal/profile"
	"reconform.dev/reconform/internal/record/history"
)

// TestAsksForItself: a process asks for its own Pod by its name, in a list or a watch, too,
// or for all Pods of its own namespace. Its name is its host name, or what a variable says.
func TestAsksForItself(t *testing.T) {
	r := &replica{
		subject: &v1alpha1.Subject{ObjectMeta: metav1.ObjectMeta{Namespace: "ns"}},
		spec:    sandbox.Spec{Name: "host", Env: map[string]string{"MY_POD_NAME": "told", "POD_NAME": "not a name", "POD_NAMESPACE": "x"}},
		env:     &Environment{Profile: func(string) *profile.Profile { return &profile.Profile{} }},
	}
	home := r.env.home(r.subject)
	shared := &replica{subject: r.subject, spec: r.spec, env: &Environment{Profile: func(string) *profile.Profile {
		p := &profile.Profile{}
		p.Spec.Install.InServedNamespace = true
		return p
	}}}
	both := []string{"host", "told"}
	for name, tc := range map[string]struct {
		replica *replica
		request history.Request
		want    []string
	}{
		"by its host name":            {r, history.Request{Verb: "get", Namespace: home, Name: "host"}, []string{"host"}},
		"by the name of a variable":   {r, history.Request{Verb: "get", Namespace: home, Name: "told"}, []string{"told"}},
		"another Pod":                 {r, history.Request{Verb: "get", Namespace: home, Name: "other"}, nil},
		"elsewhere":                   {r, history.Request{Verb: "get", Namespace: "ns", Name: "host"}, nil},
		"its log":                     {r, history.Request{Verb: "get", Namespace: home, Name: "host", Subresource: "log"}, nil},
		"all in its namespace":        {r, history.Request{Verb: "list", Namespace: home, Path: "/api/v1/namespaces/x/pods?limit=500"}, both},
		"a watch in its namespace":    {r, history.Request{Verb: "watch", Namespace: home, Path: "/api/v1/namespaces/x/pods?watch=true"}, both},
		"a list of one":               {r, history.Request{Verb: "list", Namespace: home, Path: "/p?fieldSelector=metadata.name%3Dtold"}, []string{"told"}},
		"one, in all namespaces":      {r, history.Request{Verb: "watch", Path: "/p?fieldSelector=metadata.name%3Dhost"}, []string{"host"}},
		"those of all namespaces":     {r, history.Request{Verb: "list", Path: "/api/v1/pods"}, nil},
		"those with a label":          {r, history.Request{Verb: "list", Namespace: home, Path: "/p?labelSelector=a%3Db"}, nil},
		"all that it serves, at home": {shared, history.Request{Verb: "list", Namespace: "ns", Path: "/p"}, nil},
		"itself, at home":             {shared, history.Request{Verb: "list", Namespace: "ns", Path: "/p?fieldSelector=metadata.name=host"}, []string{"host"}},
	} {
		t.Run(name, func(t *testing.T) {
			tc.request.Resource = "pods"
			got := tc.replica.asksForItself(tc.request)
			slices.Sort(got)
			if len(got) == 0 {
				got = nil
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
		})
	}
}
