package snapshot

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/record/history"
)

// TestQuotes: a text that differs only because it quotes the identity of an object that
// was created again is not a difference. Other texts are.
func TestQuotes(t *testing.T) {
	const oldUID, newUID, foreignUID = "aaaaaaaa-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000002", "cccccccc-0000-4000-8000-000000000003"
	known := history.Identities{
		UIDs: map[string]string{
			oldUID: "configmaps settings", newUID: "configmaps settings", foreignUID: "secrets other",
			"dddddddd-0000-4000-8000-000000000004": "webapps.apps.kubedojo.io demo", "eeeeeeee-0000-4000-8000-000000000005": "webapps.apps.kubedojo.io demo",
		},
		ResourceVersions: map[string]string{
			"501": "configmaps settings", "733": "configmaps settings", "12": "configmaps settings", "13": "configmaps settings",
			"8080": "configmaps settings", "9090": "configmaps settings",
			"502": "secrets other", "900": "configmaps", "950": "configmaps",
		},
		Names: map[string]history.MadeUp{
			"demo-xrvkn": {Called: "demo-?????"}, "demo-fc8qq": {Called: "demo-?????"}, "demo-key-b2b2b": {Called: "demo-key-?????"},
			"demo-xrvkn-zzzzz": {Called: "demo-xrvkn-?????"}, "demo-fc8qq-yyyyy": {Called: "demo-fc8qq-?????"},
		},
	}
	for name, tc := range map[string]struct{ was, is, want string }{
		"a version":                       {`{env: [{name: V, value: "501"}]}`, `{env: [{name: V, value: "733"}]}`, ""},
		"a version in a longer text":      {`{status: settings@501/a}`, `{status: settings@733/a}`, ""},
		"the version of a list":           {`{note: "rv-900"}`, `{note: "rv-950"}`, ""},
		"a version of another object":     {`{note: "501"}`, `{note: "502"}`, `spec.note: "<version of secrets other>", was "<version of configmaps settings>"`},
		"a version that nobody was shown": {`{note: "501"}`, `{note: "999"}`, `spec.note: "999", was "<version of configmaps settings>"`},
		"a part of a word":                {`{note: v501x}`, `{note: v733x}`, `spec.note: "v733x", was "v501x"`},
		"a version after letters":         {`{note: rv501}`, `{note: rv733}`, ""},
		"a part of a number":              {`{note: "1501"}`, `{note: "1733"}`, `spec.note: "1733", was "1501"`},
		"short numbers":                   {`{replicas: 12}`, `{replicas: 13}`, "spec.replicas: 13, was 12"},
		"a port in a text": {
			`{port: 8080, url: "http://demo:8080"}`, `{port: 9090, url: "http://demo:9090"}`,
			`spec.port: 9090, was 8080; webapps.apps.kubedojo.io demo: spec.url: "http://demo:9090", was "http://demo:8080"`,
		},
		"a port in a text that was not followed": {
			`{port: 8080, was: 9090, url: "http://demo:8080"}`, `{port: 8080, was: 9090, url: "http://demo:9090"}`,
			`spec.url: "http://demo:9090", was "http://demo:8080"`,
		},
		"a UID":                         {`{note: of-` + oldUID + `}`, `{note: of-` + newUID + `}`, ""},
		"a UID inside of a word":        {`{note: x` + oldUID + `y}`, `{note: x` + newUID + `y}`, ""},
		"a UID that was cut short":      {`{volume: tmp-aaaaaaaa}`, `{volume: tmp-bbbbbbbb}`, ""},
		"a UID without dashes":          {`{volume: aaaaaaaa000040008000000000000001}`, `{volume: bbbbbbbb000040008000000000000002}`, ""},
		"a UID in a name of an entry":   {`{volumes: [{name: v-` + oldUID + `}]}`, `{volumes: [{name: v-` + newUID + `}]}`, ""},
		"a UID in a key":                {`{labels: {"of-` + oldUID + `": "yes"}}`, `{labels: {"of-` + newUID + `": "yes"}}`, ""},
		"a UID and a version":           {`{note: ` + oldUID + `/501}`, `{note: ` + newUID + `/733}`, ""},
		"a UID of another object":       {`{note: of-` + oldUID + `}`, `{note: of-` + foreignUID + `}`, `spec.note: "of-<uid of secrets other>", was "of-<uid of configmaps settings>"`},
		"a UID that nobody was shown":   {`{note: of-` + oldUID + `}`, `{note: of-ffffffff-0000-4000-8000-000000000009}`, `spec.note: "of-ffffffff-0000-4000-8000-000000000009", was "of-<uid of configmaps settings>"`},
		"a generated name":              {`{ref: {name: demo-xrvkn}}`, `{ref: {name: demo-fc8qq}}`, ""},
		"a generated name in a text":    {`{volume: "conf-demo-xrvkn:/etc"}`, `{volume: "conf-demo-fc8qq:/etc"}`, ""},
		"a generated name of another":   {`{ref: {name: demo-xrvkn}}`, `{ref: {name: demo-key-b2b2b}}`, `spec.ref.name: "demo-key-?????", was "demo-?????"`},
		"one that begins like another":  {`{ref: {name: demo-xrvkn}}`, `{ref: {name: demo-xrvkn-zzzzz}}`, `spec.ref.name: "demo-?????-?????", was "demo-?????"`},
		"a generated name in another":   {`{pod: demo-xrvkn-zzzzz}`, `{pod: demo-fc8qq-yyyyy}`, ""},
		"a list of generated names":     {`{pods: [demo-xrvkn, demo-key-b2b2b]}`, `{pods: [demo-key-b2b2b, demo-fc8qq]}`, ""},
		"one generated name fewer":      {`{pods: [demo-xrvkn, demo-fc8qq]}`, `{pods: [demo-fc8qq]}`, `spec.pods[1]: is missing, was "demo-?????"`},
		"a list with one of them":       {`{args: [demo-xrvkn, run]}`, `{args: [run, demo-xrvkn]}`, `spec.args[0]: "run", was "demo-?????"; webapps.apps.kubedojo.io demo: spec.args[1]: "demo-?????", was "run"`},
		"entries by generated names":    {`{pods: [{name: demo-fc8qq, ok: false}, {name: demo-xrvkn, ok: true}]}`, `{pods: [{name: demo-fc8qq, ok: true}, {name: demo-xrvkn, ok: false}]}`, ""},
		"generated names as keys":       {`{pods: {demo-fc8qq: "no", demo-xrvkn: "yes"}}`, `{pods: {demo-fc8qq: "yes", demo-xrvkn: "no"}}`, ""},
		"another value below a key":     {`{pods: {demo-fc8qq: "no", demo-xrvkn: "yes"}}`, `{pods: {demo-fc8qq: "yes", demo-xrvkn: "yes"}}`, `spec.pods.demo-?????: "yes", was "no"`},
		"a name that somebody chose":    {`{ref: {name: demo-xrvkn}}`, `{ref: {name: demo-aaaaa}}`, `spec.ref.name: "demo-aaaaa", was "demo-?????"`},
		"more keys":                     {`{labels: {"` + oldUID + `": a}}`, `{labels: {"` + oldUID + `": a, "` + newUID + `": a}}`, `spec.labels.<uid of configmaps settings> (2): "a", was not there`},
		"a UID of one that is gone now": {`{note: <uid of webapps.apps.kubedojo.io demo>}`, `{note: dddddddd-0000-4000-8000-000000000004}`, `spec.note: "<uid of nothing here>", was "<uid of webapps.apps.kubedojo.io demo>"`},
	} {
		t.Run(name, func(t *testing.T) {
			of := func(spec string) object {
				return objectOf(t, "webapps.apps.kubedojo.io", `{metadata: {name: demo}, spec: `+spec+`}`)
			}
			got, err := differences(statusOf(t, of(tc.was)), statusOf(t, of(tc.is)), known, allowance{})
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			if tc.want != "" {
				want = []string{"webapps.apps.kubedojo.io demo: " + tc.want}
			}
			if diff := cmp.Diff(strings.Join(want, "; "), strings.Join(got, "; ")); diff != "" {
				t.Errorf("differences (-want +got):\n%s", diff)
			}
		})
	}
}
