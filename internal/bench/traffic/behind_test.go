package traffic

import (
	"testing"

	"reconform.dev/reconform/conformance/api/v1alpha1"
	"reconform.dev/reconform/internal/record/history"
)

// TestLeftBehind: an object is left behind if it has no owner, and who made it has not deleted it.
func TestLeftBehind(t *testing.T) {
	did := func(verb, resource, name string, edits ...func(*history.Request)) history.Request {
		r := history.Request{Seq: 7, Verb: verb, Resource: resource, Namespace: "s", Name: name, Effect: history.EffectEffective}
		for _, edit := range edits {
			edit(&r)
		}
		return r
	}
	owned := func(r *history.Request) { r.Owners = []history.Owner{{Kind: "WebApp", Name: "demo"}} }
	adopts := func(r *history.Request) { r.Changed = []string{"metadata.ownerReferences"} }
	refused := func(r *history.Request) { r.Effect = history.EffectRefused }
	made := did(history.VerbCreate, "configmaps", "demo-settings")
	for name, tc := range map[string]struct {
		requests []history.Request
		want     string
	}{
		"made, and no more":          {[]history.Request{made}, "#7 create configmaps demo-settings (effective)"},
		"two":                        {[]history.Request{made, did(history.VerbCreate, "services", "demo")}, "#7 create configmaps demo-settings (effective); #7 create services demo (effective)"},
		"changed later":              {[]history.Request{made, did(history.VerbUpdate, "configmaps", "demo-settings")}, "#7 create configmaps demo-settings (effective)"},
		"with an owner":              {[]history.Request{did(history.VerbCreate, "configmaps", "demo-settings", owned)}, ""},
		"owned later":                {[]history.Request{made, did(history.VerbUpdate, "configmaps", "demo-settings", adopts)}, ""},
		"deleted":                    {[]history.Request{made, did(history.VerbDelete, "configmaps", "demo-settings")}, ""},
		"deleted with others":        {[]history.Request{made, did(history.VerbDelete, "configmaps", "")}, ""},
		"a deletion that is refused": {[]history.Request{made, did(history.VerbDelete, "configmaps", "demo-settings", refused)}, "#7 create configmaps demo-settings (effective)"},
		"another one deleted":        {[]history.Request{made, did(history.VerbDelete, "services", "")}, "#7 create configmaps demo-settings (effective)"},
		"made again":                 {[]history.Request{made, did(history.VerbDelete, "configmaps", "demo-settings"), made}, "#7 create configmaps demo-settings (effective)"},
		"not made":                   {[]history.Request{did(history.VerbCreate, "configmaps", "demo-settings", refused)}, ""},
		"of another name":            {[]history.Request{did(history.VerbCreate, "configmaps", "leader")}, ""},
		"what may hold data":         {[]history.Request{did(history.VerbCreate, "secrets", "demo"), did(history.VerbCreate, "persistentvolumeclaims", "demo")}, ""},
		"an eviction":                {[]history.Request{did(history.VerbCreate, "pods", "demo-1", func(r *history.Request) { r.Subresource = "eviction" })}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			match := v1alpha1.RequestMatch{Verbs: []string{history.VerbCreate}, Names: []string{"*demo*"}}
			if got := count(leftBehind(tc.requests, match)).Message; got != tc.want {
				t.Errorf("left: %q, want %q", got, tc.want)
			}
		})
	}
}
