package proxy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestChanged: the fields that a write changed are named, and what the API server keeps is
// not.
func TestChanged(t *testing.T) {
	const was = `{"metadata":{"resourceVersion":"1","generation":1,"managedFields":[{"time":"a"}]},
		"spec":{"replicas":2,"containers":[{"name":"a","image":"v1"}],"list":[1]},"status":{"phase":"Pending"}}`
	for name, tc := range map[string]struct {
		is   string
		want []string
	}{
		"nothing": {`{"metadata":{"resourceVersion":"2","generation":2,"managedFields":[]},
			"spec":{"replicas":2,"containers":[{"name":"a","image":"v1"}],"list":[1]},"status":{"phase":"Pending"}}`, nil},
		"some": {
			`{"metadata":{"labels":{"a":"b"}},
			"spec":{"replicas":3,"containers":[{"name":"a","image":"v2"}],"list":[1,2]},"status":{"phase":"Pending","checked":"now"}}`,
			[]string{"metadata.labels", "spec.containers[0].image", "spec.list", "spec.replicas", "status.checked"},
		},
		"many": {`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1}`, []string{"a", "b", "c", "d", "e", "f", "g", "h", "and 4 more"}},
	} {
		t.Run(name, func(t *testing.T) {
			before, err := decodeObject([]byte(was))
			if err != nil {
				t.Fatal(err)
			}
			after, err := decodeObject([]byte(tc.is))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, changed(before, after)); diff != "" {
				t.Errorf("changed (-want +got):\n%s", diff)
			}
		})
	}
}
