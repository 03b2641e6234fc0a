package chainsaw

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestCompared: which values two fields had is said for each comparison of them, and nothing
// is said of an object that was not read, or of other expressions.
func TestCompared(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/elasticsearches/demo"):
			_, _ = w.Write([]byte(`{"apiVersion": "example.com/v1", "kind": "Elasticsearch", "metadata": {"namespace": "ns"}, "spec": {"replicas": 1}, "status": {"replicas": 4}}`))
		case strings.HasSuffix(r.URL.Path, "/demo"):
			_, _ = w.Write([]byte(`{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"namespace": "ns", "generation": 3}, "spec": {"replicas": 3}, "status": {"observedGeneration": 2, "replicas": 2}}`))
		case strings.HasSuffix(r.URL.Path, "/gone"):
			w.WriteHeader(http.StatusNotFound)
		default:
			_, _ = w.Write([]byte(`{"items": []}`))
		}
	}))
	defer server.Close()
	c := &compared{}
	client := &http.Client{Transport: c.wrap(http.DefaultTransport)}
	for _, path := range []string{"/apis/apps/v1/namespaces/ns/deployments/demo", "/apis/apps/v1/namespaces/ns/deployments", "/apis/example.com/v1/namespaces/ns/elasticsearches/demo", "/api/v1/namespaces/ns/services/gone"} {
		response, err := client.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
	}
	const line = "----\n"
	for name, tc := range map[string]struct{ message, want string }{
		"two fields": {
			line + "apps/v1/Deployment/ns/demo\n" + line + "* (metadata.generation == status.observedGeneration): Invalid value: false: Expected value: true\n\n--- expected",
			"Expected value: true; where metadata.generation is 3 and status.observedGeneration is 2\n\n--- expected",
		},
		"one is not there": {
			line + "apps/v1/Deployment/ns/demo\n" + line + "* (spec.replicas == status.readyReplicas): Invalid value: false: Expected value: true",
			"; where spec.replicas is 3 and status.readyReplicas is not there",
		},
		"within a field": {
			line + "apps/v1/Deployment/ns/demo\n" + line + "* status.(replicas > observedGeneration): Invalid value: false: Expected value: true",
			"; where replicas is 2 and observedGeneration is 2",
		},
		"with nothing": {
			line + "apps/v1/Deployment/ns/demo\n" + line + "* metadata.(deletionTimestamp != null): Invalid value: false: Expected value: true",
			"Expected value: true; where deletionTimestamp is not there",
		},
		"another plural than usual": {
			line + "example.com/v1/Elasticsearch/ns/demo\n" + line + "* (spec.replicas == status.replicas): Invalid value: false: Expected value: true",
			"; where spec.replicas is 1 and status.replicas is 4",
		},
		"an expression": {line + "apps/v1/Deployment/ns/demo\n" + line + "* (length(spec) >= `10`): Invalid value: false: Expected value: true", ""},
		"was not there": {line + "v1/Service/ns/gone\n" + line + "* (spec.a == spec.b): Invalid value: false: Expected value: true", ""},
		"no object":     {"* (spec.a == spec.b): Invalid value: false: Expected value: true", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.explain(tc.message)
			if tc.want == "" && got != tc.message || !strings.HasSuffix(got, tc.want) {
				t.Errorf("got %q, want %q at the end", got, tc.want)
			}
		})
	}
}
