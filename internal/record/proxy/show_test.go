package proxy_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"reconform.dev/reconform/internal/record/history"
)

// TestShows: the record has the UID and the version of each object that a replica has
// read.
func TestShows(t *testing.T) {
	server := newFakeServer(t)
	server.answer = func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Query().Get("watch") != "":
			w.Header().Set("Content-Type", "application/json;stream=watch")
			_, _ = io.WriteString(w, `{"type":"MODIFIED","object":{"metadata":{"name":"c","uid":"u3","resourceVersion":"13"}}}`+"\n"+
				`{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"14"}}}`+"\n")
		case r.Method == http.MethodPost:
			reply(w, 201, `{"kind":"ConfigMap","metadata":{"name":"d","uid":"u4","resourceVersion":"15"}}`)
		case strings.HasSuffix(r.URL.Path, "/log"):
			reply(w, 200, `{"metadata":{"name":"no","uid":"no","resourceVersion":"16"}}`)
		case strings.HasSuffix(r.URL.Path, "/odd"):
			reply(w, 200, `{"metadata":{"name":"odd","uid":"u5","resourceVersion":"17"},"items":"none","object":3}`)
		case strings.HasSuffix(r.URL.Path, "/a"):
			reply(w, 200, `{"kind":"Pod","metadata":{"name":"a","uid":"u1","resourceVersion":"11"}}`)
		default:
			reply(w, 200, `{"kind":"PodList","metadata":{"resourceVersion":"18"},"items":[{"metadata":{"name":"b","uid":"u2","resourceVersion":"12"}}]}`)
		}
	}
	r := newReplica(t, server.config(), scopeA)
	for _, path := range []string{"/pods/a", "/pods/odd", "/pods/a/log", "/pods", "/pods?watch=true"} {
		r.do(t, "GET", "/api/v1/namespaces/a"+path, "")
	}
	r.do(t, "POST", "/api/v1/namespaces/a/configmaps", `{"metadata":{"name":"d"}}`)
	want := history.Identities{
		UIDs: map[string]string{"u1": "pods a", "u2": "pods b", "u3": "pods c", "u4": "configmaps d", "u5": "pods odd"},
		ResourceVersions: map[string]string{
			"11": "pods a", "12": "pods b", "13": "pods c", "14": "pods", "15": "configmaps d", "17": "pods odd", "18": "pods",
		},
	}
	if diff := cmp.Diff(want, r.recorder.Identities("a")); diff != "" {
		t.Errorf("known (-want +got):\n%s", diff)
	}
}
