package proxy_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/record/history"
)

// TestRecordOfAnotherShape: the answer to a write may be something else than the object, such
// as its Scale, or a table. The record is about the object all the same: whose it is, and what
// changed in it.
func TestRecordOfAnotherShape(t *testing.T) {
	const path = "/apis/apps/v1/namespaces/a/deployments/d"
	whole := func(version string, generation, replicas int) string {
		return fmt.Sprintf(`{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"d","uid":"u","resourceVersion":%q,"generation":%d,
			"labels":{"reconform.dev/bystander":"true"},"ownerReferences":[{"kind":"W","name":"w","uid":"o","controller":true}]},
			"spec":{"replicas":%d},"status":{"replicas":%[3]d}}`, version, generation, replicas)
	}
	scale := func(version string, replicas int) string {
		return fmt.Sprintf(`{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"d","namespace":"a","uid":"u","resourceVersion":%q},"spec":{"replicas":%d}}`, version, replicas)
	}
	table := func(object string) string {
		return `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"2"},"columnDefinitions":[],"rows":[{"cells":[]` + object + `}]}`
	}
	metadata := `,"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"d","uid":"u","resourceVersion":"2","generation":2,
		"labels":{"reconform.dev/bystander":"true"},"ownerReferences":[{"kind":"W","name":"w","uid":"o","controller":true}]}}`
	part := metadata[len(`,"object":`):]
	owners := []history.Owner{{Kind: "W", Name: "w", UID: "o", Controller: true}}
	effective := history.Request{
		Verb: history.VerbUpdate, Code: 200, UID: "u", ResourceVersion: "2", GenerationBefore: 1, Generation: 2, Owners: owners, Bystander: true,
		Changed: []string{"spec.replicas"}, Values: []history.Change{{Path: "spec.replicas", Was: "1", Is: "2"}}, Effect: history.EffectEffective,
	}
	noop := effective
	noop.ResourceVersion, noop.Generation, noop.Changed, noop.Values, noop.Effect = "1", 1, nil, nil, history.EffectNoop
	created := history.Request{Verb: history.VerbCreate, Code: 201, UID: "u", ResourceVersion: "2", Generation: 2, Owners: owners, Effect: history.EffectEffective}
	for name, tc := range map[string]struct {
		method, path, answer, before, after string
		code                                int
		want                                history.Request
	}{
		"a Scale":                   {"PUT", path + "/scale", scale("2", 2), whole("1", 1, 1), whole("2", 2, 2), 200, effective},
		"a patch of a Scale":        {"PATCH", path + "/scale", scale("2", 2), whole("1", 1, 1), whole("2", 2, 2), 200, effective},
		"the same Scale":            {"PUT", path + "/scale", scale("1", 1), whole("1", 1, 1), whole("1", 1, 1), 200, noop},
		"a table":                   {"PATCH", path, table(metadata), whole("1", 1, 1), whole("2", 2, 2), 200, effective},
		"a table without an object": {"PUT", path, table(""), whole("1", 1, 1), whole("2", 2, 2), 200, effective},
		"the metadata":              {"PATCH", path, part, whole("1", 1, 1), whole("2", 2, 2), 200, effective},
		"a creation":                {"POST", "/apis/apps/v1/namespaces/a/deployments", table(metadata), "", whole("2", 2, 2), 201, created},
	} {
		t.Run(name, func(t *testing.T) {
			server := newFakeServer(t)
			server.objects["/apis/apps/v1"] = `{"kind":"APIResourceList","resources":[{"name":"deployments","namespaced":true},{"name":"deployments/status","namespaced":true}]}`
			if tc.before != "" {
				server.objects[path] = tc.before
				server.objects[path+"/scale"] = scale("1", 1)
			}
			server.answer = func(w http.ResponseWriter, _ *http.Request) {
				server.set(func() { server.objects[path], server.objects[path+"/scale"] = tc.after, tc.answer })
				reply(w, tc.code, tc.answer)
			}
			r := newReplica(t, server.config(), scopeA)
			r.do(t, tc.method, tc.path, `{"metadata":{"name":"d"},"spec":{"replicas":2}}`, "Content-Type", "application/merge-patch+json")
			r.eventually(t, "recorded", func() bool { return r.last(t).Finished })
			got := r.last(t)
			recorded := history.Request{
				Verb: got.Verb, Code: got.Code, UID: got.UID, ResourceVersion: got.ResourceVersion, GenerationBefore: got.GenerationBefore,
				Generation: got.Generation, Owners: got.Owners, Bystander: got.Bystander, Disowned: got.Disowned,
				Changed: got.Changed, Values: got.Values, Effect: got.Effect, Note: got.Note,
			}
			if diff := cmp.Diff(tc.want, recorded); diff != "" {
				t.Errorf("recorded (-want +got):\n%s", diff)
			}
		})
	}
}
