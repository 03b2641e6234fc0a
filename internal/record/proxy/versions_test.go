package proxy_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"reconform.dev/reconform/internal/record/history"
)

// TestReadsBefore: the object is read before a write, unless the write is based on the version
// that the replica was shown last.
func TestReadsBefore(t *testing.T) {
	const (
		all  = "/api/v1/namespaces/a/pods"
		path = all + "/p"
	)
	object := func(version, more string) string {
		return `{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"a","name":"p","uid":"u","resourceVersion":"` + version + `","generation":7}` + more + `}`
	}
	event := func(kind, object string) string { return `{"type":"` + kind + `","object":` + object + "}\n" }
	type request struct{ method, path, contentType, body, answer string }
	got := func(version string) request {
		return request{method: "GET", path: path, answer: object(version, `,"spec":1`)}
	}
	watched := func(events ...string) request {
		return request{method: "GET", path: "/api/v1/pods?watch=true", answer: strings.Join(events, "")}
	}
	put := request{method: "PUT", path: path, body: object("1", `,"spec":2`), answer: object("2", `,"spec":2`)}
	status := request{method: "PUT", path: path + "/status", body: object("1", `,"status":2`), answer: object("2", `,"spec":1,"status":2`)}
	patch := func(contentType, body string) request {
		return request{"PATCH", path, contentType, body, object("2", `,"spec":2`)}
	}
	const merge, withVersion = "application/merge-patch+json", `{"metadata":{"resourceVersion":"1"},"spec":2}`

	tests := map[string]struct {
		shown  []request
		write  request
		reads  bool
		effect history.Effect
	}{
		"nothing shown":            {nil, put, true, history.EffectEffective},
		"read":                     {[]request{got("1")}, put, false, history.EffectEffective},
		"read, nothing changed":    {[]request{got("1")}, request{"PUT", path, "", object("1", `,"spec":1`), object("1", `,"spec":1`)}, false, history.EffectNoop},
		"another version read":     {[]request{got("1"), got("2")}, put, true, history.EffectEffective},
		"an older version read":    {[]request{got("0")}, put, true, history.EffectEffective},
		"status":                   {[]request{got("1")}, status, false, history.EffectEffective},
		"watched":                  {[]request{watched(event("ADDED", object("0", "")), event("MODIFIED", object("1", `,"spec":1`)))}, put, false, history.EffectEffective},
		"deleted since":            {[]request{watched(event("ADDED", object("1", `,"spec":1`)), event("DELETED", object("1", "")))}, put, true, history.EffectEffective},
		"only metadata watched":    {[]request{watched(event("ADDED", strings.Replace(object("1", ""), `"apiVersion":"v1"`, `"apiVersion":"meta.k8s.io/v1"`, 1)))}, put, true, history.EffectEffective},
		"written":                  {[]request{{"POST", all, "", object("", ""), object("1", `,"spec":1`)}}, put, false, history.EffectEffective},
		"only tried":               {[]request{{"PUT", path + "?dryRun=All", "", object("1", ""), object("1", `,"spec":2`)}}, put, true, history.EffectEffective},
		"asked to be deleted":      {[]request{got("1"), {"DELETE", path, "", "", object("1", "")}}, put, true, history.EffectEffective},
		"another object":           {[]request{{"GET", all + "/q", "", "", strings.Replace(object("1", ""), `"p"`, `"q"`, 1)}}, put, true, history.EffectEffective},
		"patch of any version":     {[]request{got("1")}, patch(merge, `{"spec":2}`), true, history.EffectEffective},
		"patch of this version":    {[]request{got("1")}, patch(merge, withVersion), false, history.EffectEffective},
		"apply to this version":    {[]request{got("1")}, patch("application/apply-patch+yaml", "metadata:\n  resourceVersion: \"1\"\nspec: 2\n"), false, history.EffectEffective},
		"patch by JSON operations": {[]request{got("1")}, patch("application/json-patch+json", `[{"op":"test","path":"/metadata/resourceVersion","value":"1"}]`), true, history.EffectEffective},
		"put of any version":       {[]request{got("1")}, request{"PUT", path, "", `{"spec":2}`, object("2", `,"spec":2`)}, true, history.EffectEffective},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := newFakeServer(t)
			answer := ""
			server.answer = func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, answer) }
			var looked []string
			server.looked = func(path string) { server.set(func() { looked = append(looked, path) }) }
			server.objects[path] = object("1", `,"spec":1`)
			server.objects[path+"/status"] = server.objects[path]
			r := newReplica(t, server.config(), scopeA)
			do := func(q request) {
				server.set(func() { answer, looked = q.answer, nil })
				r.do(t, q.method, q.path, q.body, "Content-Type", q.contentType)
				r.eventually(t, "recorded", func() bool { return r.last(t).Finished })
			}
			for _, q := range test.shown {
				do(q)
			}
			do(test.write)
			server.set(func() {
				if read := slices.Contains(looked, test.write.path); read != test.reads {
					t.Errorf("read before the write: %t, want %t", read, test.reads)
				}
			})
			if recorded := r.last(t); recorded.Effect != test.effect || recorded.GenerationBefore != 7 {
				t.Errorf("recorded: %+v", recorded)
			}
		})
	}
}
