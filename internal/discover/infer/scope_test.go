package infer

import (
	gocmp "cmp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/internal/record/history"
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

// TestBarred: each cluster-scoped resource that the bench kept from the controller is
// named once, and namespaces are not named.
func TestBarred(t *testing.T) {
	write := func(group, resource, note string) history.Request {
		return history.Request{Verb: history.VerbCreate, Group: group, Resource: resource, Code: 403, Note: note}
	}
	const rbac = "rbac.authorization.k8s.io"
	account := history.Account{Requests: []history.Request{
		write(rbac, "clusterroles", history.NoteClusterScoped), write(rbac, "clusterroles", history.NoteClusterScoped),
		write("", "namespaces", history.NoteClusterScoped), write("", "nodes", history.NoteClusterScoped),
		write("apps", "deployments", ""), write(rbac, "clusterrolebindings", "another note"),
	}}
	want := []string{"clusterroles." + rbac, "nodes"}
	if diff := cmp.Diff(want, Barred(account)); diff != "" {
		t.Errorf("barred (-want +got):\n%s", diff)
	}
	f := &finder{Findings: Findings{Asked: map[string][]Question{}}, Record: &Record{Account: account}}
	f.askBarredWrites()
	if asked := f.Asked["install.clusterWrites"]; len(asked) != 1 || !strings.HasSuffix(asked[0].Text, "run init again with --cluster-writes clusterroles."+rbac+" --cluster-writes nodes") {
		t.Errorf("asked: %q", asked)
	}
	f.Asked = map[string][]Question{}
	f.Account.Requests[2].Name, f.Account.Requests[2].Path = "monitoring", "/api/v1/namespaces"
	f.askBarredNamespaces()
	if asked := f.Asked["install"]; len(asked) != 1 || !strings.HasPrefix(asked[0].Text, "it tried to create namespace monitoring, and the bench refused that: a subject has ") {
		t.Errorf("asked: %q", asked)
	}
}

// TestFindSharing: scenarios run one at a time only if they would change the same objects.
func TestFindSharing(t *testing.T) {
	write := func(verb string, effect history.Effect, resource, name string) history.Request {
		return history.Request{Verb: verb, Effect: effect, Group: "rbac.authorization.k8s.io", Resource: gocmp.Or(resource, "clusterroles"), Name: name}
	}
	const effective = history.EffectEffective
	for name, tc := range map[string]struct {
		requests []history.Request
		want     string
	}{
		"the namespace is in the name":        {[]history.Request{write("create", effective, "", "reconform-look.shop-auth")}, ""},
		"the UID of the object is":            {[]history.Request{write("create", effective, "", "shop-Shop/shop")}, ""},
		"it is not":                           {[]history.Request{write("create", effective, "", "shop-auth")}, "it changed clusterroles.rbac.authorization.k8s.io shop-auth, and"},
		"one that nothing changes":            {[]history.Request{write("update", history.EffectNoop, "", "shop-auth"), write("create", history.EffectRefused, "", "shop-auth")}, ""},
		"a name that the API server makes":    {[]history.Request{write("create", effective, "", "")}, ""},
		"many are deleted":                    {[]history.Request{write("delete", effective, "", "")}, "it changed clusterroles.rbac.authorization.k8s.io, and"},
		"objects of its namespace":            {[]history.Request{write("create", effective, "roles", "shop-auth")}, ""},
		"one that is not, beside one that is": {[]history.Request{write("create", effective, "", "reconform-look.shop"), write("update", effective, "", "shops"), write("update", effective, "", "shops")}, "it changed clusterroles.rbac.authorization.k8s.io shops, and"},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, "{}", "{}", "{}", "{}")
			r.Account.Scenario, r.Account.Requests = "reconform-look", append(r.Account.Requests, tc.requests...)
			found := &Findings{Notes: map[string]Note{}, Asked: map[string][]Question{}}
			r.FindSharing(found, []string{"clusterroles.rbac.authorization.k8s.io"})
			if note := found.Notes["launch.serial"].Text; !strings.HasPrefix(note, tc.want) || found.Spec.Launch.Serial != (tc.want != "") {
				t.Errorf("serial: %t, %q; want %q", found.Spec.Launch.Serial, note, tc.want)
			}
			if asked := len(found.Asked["launch.serial"]); (asked == 0) != (tc.want != "") {
				t.Errorf("asked %d times", asked)
			}
		})
	}
}
