package proxy

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
)

func onlyA(name types.NamespacedName) bool { return name.Namespace == "a" }

func TestFilterList(t *testing.T) {
	tests := map[string]struct{ list, want string }{
		"items": {
			`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"x","remainingItemCount":9},
			  "items":[{"metadata":{"namespace":"a","name":"1"}},{"metadata":{"namespace":"b","name":"2"}}]}`,
			`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7","continue":"x"},
			  "items":[{"metadata":{"namespace":"a","name":"1"}}]}`,
		},
		"nothing left": {
			`{"kind":"PodList","metadata":{},"items":[{"metadata":{"namespace":"b"}}]}`,
			`{"kind":"PodList","metadata":{},"items":[]}`,
		},
		"table": {
			`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"columnDefinitions":[],"rows":[
			  {"cells":["1"],"object":{"metadata":{"namespace":"a"}}},{"cells":["2"],"object":{"metadata":{"namespace":"b"}}},{"cells":["3"]}]}`,
			`{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"columnDefinitions":[],"rows":[
			  {"cells":["1"],"object":{"metadata":{"namespace":"a"}}}]}`,
		},
		"a kind called Table": {
			`{"kind":"Table","apiVersion":"furniture.example/v1","items":[{"metadata":{"namespace":"b"}}]}`,
			`{"kind":"Table","apiVersion":"furniture.example/v1","items":[]}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := filterList([]byte(test.list), onlyA)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(decoded(t, []byte(test.want)), decoded(t, got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}

	// What cannot be read is never passed on.
	for _, list := range []string{"", "[]", "{}", `{"items":{}}`, `{"items":[1]}`, `{"items":[]`, "apiVersion: v1\nitems: []\n"} {
		if got, err := filterList([]byte(list), onlyA); err == nil {
			t.Errorf("%q is filtered to %q", list, got)
		}
	}
}

func TestKeepEvent(t *testing.T) {
	tests := map[string]struct {
		event string
		want  bool
	}{
		"inside":         {`{"type":"ADDED","object":{"metadata":{"namespace":"a"}}}`, true},
		"outside":        {`{"type":"MODIFIED","object":{"metadata":{"namespace":"b"}}}`, false},
		"deleted":        {`{"type":"DELETED","object":{"metadata":{"namespace":"b"}}}`, false},
		"bookmark":       {`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1","annotations":{"k8s.io/initial-events-end":"true"}}}}`, true},
		"error":          {`{"type":"ERROR","object":{"kind":"Status","code":410}}`, true},
		"table inside":   {`{"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"object":{"metadata":{"namespace":"a"}}}]}}`, true},
		"table outside":  {`{"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"object":{"metadata":{"namespace":"b"}}}]}}`, false},
		"table, no name": {`{"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{}]}}`, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := keepEvent([]byte(test.event), onlyA)
			if err != nil || got != test.want {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
	if _, err := keepEvent([]byte(`{"type":"NEWS","object":{}}`), onlyA); err == nil {
		t.Error("an event of no known type passes")
	}
}

func FuzzKeepEvent(f *testing.F) {
	f.Add([]byte(`{"type":"ADDED","object":{"metadata":{"namespace":"a"}}}`))
	f.Add([]byte(`{"type":"BOOKMARK","object":{}}`))
	f.Add([]byte(`{"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"object":null}]}}`))
	f.Fuzz(func(t *testing.T, event []byte) {
		kept, err := keepEvent(event, func(types.NamespacedName) bool { return false })
		if err == nil && kept && !bytes.Contains(event, []byte("BOOKMARK")) && !bytes.Contains(event, []byte("ERROR")) &&
			!bytes.Contains(event, []byte(`\u`)) && !bytes.Contains(event, []byte("Table")) {
			t.Fatalf("passes though nothing may: %q", event)
		}
	})
}

func decoded(t *testing.T, body []byte) object {
	t.Helper()
	o, err := decodeObject(body)
	if err != nil {
		t.Fatalf("%v: %q", err, body)
	}
	return o
}
