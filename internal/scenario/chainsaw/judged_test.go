package chainsaw

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kyverno/chainsaw/pkg/apis/v1alpha1"
	enginecontext "github.com/kyverno/chainsaw/pkg/runner/context"
	"github.com/kyverno/chainsaw/pkg/runner/operations"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/yaml"
)

// serveTraffic is an API server with one Traffic, whose verdict is NotMet, until that
// is deleted.
func serveTraffic(t *testing.T) *rest.Config {
	t.Helper()
	var mu sync.Mutex
	var gone bool
	answer := func(w http.ResponseWriter, code int, body any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_ = json.NewEncoder(w).Encode(body)
	}
	version := metav1.GroupVersionForDiscovery{GroupVersion: "reconform.dev/v1alpha1", Version: "v1alpha1"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case r.URL.Path == "/api":
			answer(w, http.StatusOK, metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}})
		case r.URL.Path == "/apis":
			answer(w, http.StatusOK, metav1.APIGroupList{Groups: []metav1.APIGroup{{
				Name: "reconform.dev", Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version,
			}}})
		case r.URL.Path == "/apis/reconform.dev/v1alpha1":
			answer(w, http.StatusOK, metav1.APIResourceList{GroupVersion: version.GroupVersion, APIResources: []metav1.APIResource{
				{Name: "traffics", SingularName: "traffic", Namespaced: true, Kind: "Traffic"},
			}})
		case r.URL.Path != benchPath || gone:
			answer(w, http.StatusNotFound, metav1.Status{Status: metav1.StatusFailure, Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound})
		default:
			gone = r.Method == http.MethodDelete
			answer(w, http.StatusOK, json.RawMessage(ofTraffic+`{"verdict": "NotMet", "message": "found 2"}}`))
		}
	}))
	t.Cleanup(server.Close)
	return &rest.Config{Host: server.URL}
}

// TestOnlyAnAssertEndsByAVerdict has Chainsaw's own operations carried out, each on an
// object that is not as expected.
func TestOnlyAnAssertEndsByAVerdict(t *testing.T) {
	const object = "apiVersion: reconform.dev/v1alpha1, kind: Traffic"
	for name, tc := range map[string]struct{ operation, want string }{
		"assert": {"assert: {resource: {" + object + ", metadata: {namespace: ns, name: calm}, status: {verdict: Met}}}", "Traffic calm is not as expected: found 2"},
		"delete": {"delete: {ref: {" + object + ", namespace: ns, name: calm}}", ""},
		"apply":  {"apply: {resource: {" + object + ", metadata: {namespace: ns, name: calm}, spec: {windowMs: 1}}}", ""},
		"patch":  {"patch: {resource: {" + object + ", metadata: {namespace: ns, name: calm}, spec: {windowMs: 1}}}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			test := &v1alpha1.Test{}
			if err := yaml.Unmarshal([]byte("spec: {steps: [{try: [{"+tc.operation+"}]}]}"), test); err != nil {
				t.Fatal(err)
			}
			readJudged(test)
			runner, err := withClusters(enginecontext.EmptyContext(clock.RealClock{}), serveTraffic(t), 0, &scheduling{told: &verdicts{}, patience: time.Minute}, newGate(io.Discard))
			if err != nil {
				t.Fatal(err)
			}
			limit := &metav1.Duration{Duration: 10 * time.Second}
			runner = runner.WithTimeouts(v1alpha1.Timeouts{Assert: limit, Apply: limit, Delete: limit})
			_, actions, err := operations.TryOperation(t.Context(), runner, test.Spec.Steps[0].Try[0], nil)
			for _, action := range actions {
				_, failed := action.Execute(t.Context(), runner)
				err = errors.Join(err, failed)
			}
			if len(actions) != 1 || (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%d actions, %v; want %q", len(actions), err, tc.want)
			}
		})
	}
}
