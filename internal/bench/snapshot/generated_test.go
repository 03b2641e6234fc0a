package snapshot

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Two outcomes are equal if they differ only in names that the API server has
// generated.
func TestNamesThatTheServerMadeUp(t *testing.T) {
	take := func(first, second string) map[string]any {
		objects := []object{
			objectOf(t, "secrets", `{metadata: {name: `+first+`, generateName: demo-, creationTimestamp: "2026-01-01T00:00:00Z"}, data: {n: first}}`),
			objectOf(t, "secrets", `{metadata: {name: `+second+`, generateName: demo-, creationTimestamp: "2026-01-01T00:00:01Z"}, data: {n: second}}`),
			objectOf(t, "secrets", `{metadata: {name: demo-tls}}`),
			objectOf(t, "certificates.x", `{metadata: {name: demo}, status: {next: `+first+`, other: demo-tls}}`),
		}
		names := nameGenerated(objects)
		found := map[string]any{}
		r := theRules(t)
		r.mask(objects)
		for _, o := range objects {
			found[o.String()] = r.maskValues(o.content, names)
		}
		return found
	}
	one, other := take("demo-x7k2p", "demo-4bcdf"), take("demo-4bcdf", "demo-zzzzz")
	if diff := cmp.Diff(one, other); diff != "" {
		t.Errorf("one and the other:\n%s", diff)
	}
	for _, key := range []string{"secrets demo-?????", "secrets demo-????? (2)", "secrets demo-tls"} {
		if one[key] == nil {
			t.Errorf("there is no %s in %v", key, one)
		}
	}
	status := one["certificates.x demo"].(map[string]any)["status"]
	if diff := cmp.Diff(map[string]any{"next": "demo-?????", "other": "demo-tls"}, status); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
}
