package proxy

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"

	"reconform.dev/reconform/internal/record/history"
)

// TestAppliedAnew: an apply that finds nothing creates, even if there was an object when
// the proxy looked. The owners are those of the new object.
func TestAppliedAnew(t *testing.T) {
	was, err := decodeObject([]byte(`{"metadata":{"uid":"a","generation":7,"ownerReferences":[{"kind":"WebApp","name":"demo","uid":"w","controller":true}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{options: Options{Recorder: history.New(nil, nil)}}
	in := incoming{
		request: httptest.NewRequest(http.MethodPatch, "/apis/apps/v1/namespaces/x/deployments/demo", http.NoBody),
		info:    &apirequest.RequestInfo{Verb: "patch", APIGroup: "apps", APIVersion: "v1", Resource: "deployments", IsResourceRequest: true},
	}
	for name, tc := range map[string]struct {
		is   string
		want history.Request
	}{
		"without an owner": {
			`{"metadata":{"name":"demo","uid":"b","generation":1}}`,
			history.Request{Code: 201, Name: "demo", UID: "b", Generation: 1, Effect: history.EffectEffective, Verb: history.VerbCreate},
		},
		"with the new owner": {
			`{"metadata":{"name":"demo","uid":"b","ownerReferences":[{"kind":"WebApp","name":"demo","uid":"x","controller":true}]}}`,
			history.Request{
				Code: 201, Name: "demo", UID: "b", Effect: history.EffectEffective, Verb: history.VerbCreate,
				Owners: []history.Owner{{Kind: "WebApp", Name: "demo", UID: "x", Controller: true}},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := history.Request{Verb: history.VerbUpdate}
			p.judge(t.Context(), in, prior{object: was}, http.StatusCreated, []byte(tc.is))(&got)
			got.Fixed = ""
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("recorded (-want +got):\n%s", diff)
			}
		})
	}
}
