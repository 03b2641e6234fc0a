package infer

import (
	"net/http"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"reconform.dev/reconform/internal/record/history"
)

// TestAskGeneration: a controller that raises the generation of its own objects is asked
// about it. What happens once can be declared; what is repeated cannot.
func TestAskGeneration(t *testing.T) {
	raise := func(seq int64, change func(*history.Request)) history.Request {
		q := history.Request{
			Seq: seq, Verb: history.VerbUpdate, Method: http.MethodPut, Group: "example.com", Resource: "shops", Name: "shop", UID: "Shop/shop",
			Effect: history.EffectEffective, GenerationBefore: 1, Generation: 2, Changed: []string{"metadata.finalizers", "spec.tls"},
		}
		change(&q)
		return q
	}
	same := func(*history.Request) {}
	patch := func(q *history.Request) { q.Method = http.MethodPatch }
	const once = "which changed spec.tls. ST-003 fails by that, as the spec is its user's. Is it meant?; exempt: [{verbs: [update], resources: [shops.example.com]"
	for name, tc := range map[string]struct {
		requests []history.Request
		want     string // empty if nothing is asked
	}{
		"nothing":                     {nil, ""},
		"once":                        {[]history.Request{raise(2, same)}, once},
		"once after each change":      {[]history.Request{raise(2, same), raise(7, same)}, once},
		"twice after one change":      {[]history.Request{raise(7, same), raise(8, same)}, "2 times after one change: ST-003 judges that, and no exemption is due"},
		"of two objects":              {[]history.Request{raise(2, same), raise(3, func(q *history.Request) { q.UID = "Shop/other" })}, once},
		"one patch, beside the user":  {[]history.Request{raise(2, patch)}, ""},
		"a patch after each change":   {[]history.Request{raise(2, patch), raise(7, patch)}, once},
		"a write of the status":       {[]history.Request{raise(2, func(q *history.Request) { q.Subresource = "status" })}, ""},
		"a write of another resource": {[]history.Request{raise(2, func(q *history.Request) { q.Resource = "blogs" })}, ""},
		"no higher generation":        {[]history.Request{raise(2, func(q *history.Request) { q.Generation = 1 })}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := story(t, "{}", "{}", "{}", "{}")
			r.CRD = &apiextensionsv1.CustomResourceDefinition{}
			r.CRD.Spec.Group, r.CRD.Spec.Names.Plural = "example.com", "shops"
			r.Account.Requests = append(r.Account.Requests, tc.requests...)
			f := &finder{Findings: Findings{Asked: map[string][]Question{}}, Record: r}
			f.askGeneration()
			if asked := asOne(f.Asked["claims.exempt"]); (asked == "") != (tc.want == "") || !strings.Contains(asked, tc.want) {
				t.Errorf("asked %q, want %q", asked, tc.want)
			}
		})
	}
}

// asOne returns the texts of questions, and the lines that may answer them.
func asOne(questions []Question) string {
	var all []string
	for _, q := range questions {
		all = append(all, q.Text)
		all = append(all, q.Lines...)
	}
	return strings.Join(all, "; ")
}
