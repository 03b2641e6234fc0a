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
		r := theRules(t)
		names := r.nameGenerated(objects)
		found := map[string]any{}
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

// TestOrderOfGeneratedNames: of two objects that are made at about the same time, each has the same
// name in each run, whatever the API server calls them, and wherever a second ends. Of two that are
// alike the earlier one is the first.
func TestOrderOfGeneratedNames(t *testing.T) {
	for name, tc := range map[string]struct {
		first, second string // the names of the one with a: 1 and of the other one
		later         string // when the other one was created
		content       string // of the other one
		want          map[string]string
	}{
		"in one second":         {"demo-aaaaa", "demo-bbbbb", "00", "2", map[string]string{"demo-?????": "1", "demo-????? (2)": "2"}},
		"with other names":      {"demo-bbbbb", "demo-aaaaa", "00", "2", map[string]string{"demo-?????": "1", "demo-????? (2)": "2"}},
		"in the next second":    {"demo-bbbbb", "demo-aaaaa", "01", "2", map[string]string{"demo-?????": "1", "demo-????? (2)": "2"}},
		"the other one earlier": {"demo-bbbbb", "demo-aaaaa", "01", "0", map[string]string{"demo-?????": "0", "demo-????? (2)": "1"}},
	} {
		of := func(name, second, n string) object {
			return objectOf(t, "secrets", `{metadata: {name: `+name+`, generateName: demo-, uid: `+name+`, creationTimestamp: "2026-01-01T00:00:`+second+`Z"}, data: {a: "`+n+`"}}`)
		}
		objects := []object{of(tc.first, "00", "1"), of(tc.second, tc.later, tc.content)}
		theRules(t).nameGenerated(objects)
		got := map[string]string{}
		for _, o := range objects {
			got[o.name] = o.content["data"].(map[string]any)["a"].(string)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	alike := []object{
		objectOf(t, "secrets", `{metadata: {name: demo-aaaaa, generateName: demo-, creationTimestamp: "2026-01-01T00:00:01Z"}, status: {at: 1}}`),
		objectOf(t, "secrets", `{metadata: {name: demo-bbbbb, generateName: demo-, creationTimestamp: "2026-01-01T00:00:00Z"}, status: {at: 2}}`),
	}
	if theRules(t).nameGenerated(alike); alike[1].name != "demo-?????" {
		t.Errorf("the later one is %s, and the earlier one %s", alike[0].name, alike[1].name)
	}
}
